#include "frontend/owners.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "frontend/lambdas.hpp"

namespace simt::rewrite {
namespace {

/// Do templates of libraries call functions of this name that they find by their arguments, or
/// members of what they are given? A range-based for and structured bindings do, too.
bool is_library_name(std::string_view name) {
  static constexpr auto names = std::to_array<std::string_view>(
      {"swap",       "begin",    "end",        "cbegin",  "cend",     "rbegin",    "rend",
       "get",        "size",     "ssize",      "data",    "empty",    "iter_move", "iter_swap",
       "base",       "value",    "has_value",  "front",   "back",     "push_back", "insert",
       "emplace",    "clear",    "resize",     "reserve", "allocate", "construct", "destroy",
       "deallocate", "max_size", "pointer_to", "lock",    "try_lock", "unlock",    "compare",
       "length",     "reset",    "release",    "min",     "max",      "operator"});
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Owners {
 public:
  explicit Owners(const Source& source)
      : source_(source), list_(*source.list), owners_(list_.size(), kNobody) {
    for (Index i = 0; i < list_.size(); ++i) {
      if (is_class_word(i) && !list_.is_system(i)) classes_.insert(class_name(i));
    }
  }

  std::vector<Index> run() {
    for (Index number = 0; number < source_.functions.size(); ++number) function(number);
    for (const Index i : device_lambdas(list_)) {
      const Index open = lambda_body(list_, i);
      if (owners_[open] == kHost) give(open, list_.match[open], kNobody);
    }
    return std::move(owners_);
  }

 private:
  void give(Index first, Index last, Index owner) {
    std::fill(owners_.begin() + static_cast<std::ptrdiff_t>(first),
              owners_.begin() + static_cast<std::ptrdiff_t>(last), owner);
  }

  Index owner_of(Index number) const {
    const Function& function = source_.functions[number];
    const Specifiers& words = function.specifiers;
    if (words.global) return kKernel;
    if (!words.device && !words.is_constexpr) return kHost;
    // Constructors, destructors and operators run where no name of theirs stands.
    const bool unnamed = function.name.starts_with("operator") || classes_.contains(function.name);
    return unnamed || is_library_name(function.name) ? kNobody : number;
  }

  void function(Index number) {
    const Function& function = source_.functions[number];
    const Index owner = owner_of(number);
    const Index last = function.has_body() ? function.body_close : function.params_close;
    // What a kernel's template header has by default, the kernel calls by another name.
    give(owner == kKernel ? function.params_open : function.first, last, owner);
    if (owner == kNobody || owner == kHost || !function.has_body()) return;
    for (Index i = function.body_open; i < last; ++i) {
      if (owner != kKernel && is_class_word(i)) return give(i, last, kNobody);
      if (!begins_lambda(list_, i)) continue;
      // A lambda of a kernel without captures becomes a pointer, which another kernel may call.
      if (owner == kKernel && !list_.is(i + 1, "]")) continue;
      const Index open = lambda_body(list_, i);
      give(open, list_.match[open], kNobody);
    }
  }

  std::string_view class_name(Index keyword) const {
    Index name = keyword + 1;
    while (takes_argument(list_.view(name)) || list_.is(name, "[")) {
      if (list_.is(name + 1, "(")) ++name;
      if (list_.match[name] == kNone) break;
      name = list_.match[name] + 1;
    }
    return list_.view(name);
  }

  bool is_class_word(Index i) const {
    return list_.is(i, "struct") || list_.is(i, "class") || list_.is(i, "union");
  }

  const Source& source_;
  const TokenList& list_;
  std::set<std::string_view> classes_;
  std::vector<Index> owners_;
};

}  // namespace

std::vector<Index> code_owners(const Source& source) { return Owners(source).run(); }

}  // namespace simt::rewrite
