/// \file
/// What the classes of a translation unit are made of: numbers, pointers, others.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "frontend/source.hpp"

namespace simt::rewrite::split {

/// What is known of a class of the source.
struct ClassFacts {
  bool plain = true;           ///< its members are numbers, vectors, and pointers to such
  bool holds_address = false;  ///< or its members may, other than as what a pointer points at
  bool has_alias = false;      ///< a type of a member has another name
  bool unchanging = true;      ///< its functions are const, and nothing is mutable
  std::set<std::string, std::less<>> pointers;  ///< members that are pointers
};

class Classes {
 public:
  explicit Classes(const Source& source);

  /// The class of a name, or nullptr. Classes that share a name are taken together.
  const ClassFacts* find(std::string_view name) const;

  /// Is it another name for a type?
  bool is_alias(std::string_view name) const { return aliases_.contains(name); }

 private:
  void add_class(Index keyword);
  void add_base(ClassFacts& facts, Index i);
  void add_member(ClassFacts& facts, std::string_view name, Index first, Index last);
  bool holds_address(Index first, Index last) const;

  const TokenList& list_;
  std::map<std::string, ClassFacts, std::less<>> classes_;
  std::set<std::string, std::less<>> aliases_;
};

}  // namespace simt::rewrite::split
