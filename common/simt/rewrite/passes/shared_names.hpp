/// \file
/// The names of shared variables where a reference in place of a static variable would tell.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "frontend/edits.hpp"

namespace simt::rewrite {

/// What stands for a `__shared__` variable in the rewritten function.
enum class SharedAs { reference, pointer };

/// A shared variable is static: no lambda copies it, each may use it, and its `decltype` is no
/// reference. What stands for it is a variable of the function's, which lambdas must capture by
/// name.
class SharedNames {
 public:
  SharedNames(const TokenList& list, Edits& edits) : list_(list), edits_(edits) {}

  /// `name` means the shared variable from token `first` to the end of the block that this stands
  /// in, but for where it is declared again.
  void add(std::string_view name, SharedAs as, Index first);

  /// Makes the edits for all names.
  void apply();

 private:
  void capture(Index open, std::string_view name, SharedAs as);
  bool is_declared_again(std::string_view name, Index first, Index at) const;
  bool declares(Index i) const;
  Index scope_end(Index i) const;
  bool mentions(Index first, Index last, std::string_view name) const;

  const TokenList& list_;
  Edits& edits_;
  std::map<Index, std::set<std::string>> captures_;  // by the closing bracket
};

}  // namespace simt::rewrite
