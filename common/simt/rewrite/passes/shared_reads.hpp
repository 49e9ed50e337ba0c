/// \file
/// Which code asks for a value that other threads change, so that to ask again makes sense.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source.hpp"

namespace simt::rewrite {

/// Tokens [first, last).
struct Range {
  Index first = kNone;
  Index last = kNone;
};

/// Atomics whose result is used, volatile and acquiring reads, fences, and what reaches one of
/// these.
class SharedReads {
 public:
  explicit SharedReads(const Source& source);

  /// Is there one in these tokens?
  bool in(Range range) const;

  /// Does the function of this name, or one that it names, read so?
  bool by(const std::string& name) const { return readers_.count(name) != 0; }

  /// The `[` of each lambda marked __device__.
  const std::vector<Index>& device_lambdas() const { return device_lambdas_; }

  bool is_volatile(std::string_view name) const { return volatile_names_.count(name) != 0; }

 private:
  using Names = std::set<std::string, std::less<>>;

  void find_volatile_names();
  void find_readers();
  void lambda(Index i);
  bool is_call(Index i) const;
  bool is_read(Index i) const;
  bool asks(Index open) const;
  bool is_statement(Index i) const;

  const Source& source_;
  const TokenList& list_;
  std::vector<Index> device_lambdas_;
  Names functions_, volatile_names_, readers_;
  bool functors_ = false;   ///< some functor or nameless lambda reads
  bool operators_ = false;  ///< some operator or conversion does
};

}  // namespace simt::rewrite
