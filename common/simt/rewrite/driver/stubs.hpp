/// \file
/// Empty files in place of headers, so that a compiler goes on to what else is missing.
#pragma once

#include <string>
#include <vector>

#include "driver/process.hpp"

namespace simt::rewrite {

/// Empty files in place of headers of CUDA's that are not here, or a toolkit's.
class Stubs {
 public:
  Stubs() = default;
  ~Stubs();
  Stubs(const Stubs&) = delete;
  Stubs& operator=(const Stubs&) = delete;

  /// False if that header is there already, or cannot be.
  bool add(const std::string& header);

  /// The command of a compiler that finds them.
  std::vector<std::string> seen_by(std::vector<std::string> command) const;

 private:
  const TemporaryFile name_{".stubs"};
  const std::string folder_ = name_.path() + ".d";
};

}  // namespace simt::rewrite
