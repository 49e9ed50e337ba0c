/// \file
/// Functions that have to run in their callers' places.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "frontend/analysis.hpp"
#include "frontend/source.hpp"

namespace simt::rewrite {

/// Which functions call which, by name.
class Calls {
 public:
  explicit Calls(const Source& source);

  /// Can the compiler inline every call of the function, if it has to? Its body has none of what
  /// forbids that, and does not come to call it.
  bool can_be_inlined(const Function& function) const;

 private:
  bool is_recursive(std::string_view name) const;

  const TokenList& list_;
  std::map<std::string, NameSet, std::less<>> calls_;  ///< what the functions of a name mention
};

}  // namespace simt::rewrite
