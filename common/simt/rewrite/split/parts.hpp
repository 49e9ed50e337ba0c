/// \file
/// Parts of a kernel's variables: what an expression designates.
#pragma once

#include "split/variables.hpp"

namespace simt::rewrite::split {

class VariableParts {
 public:
  VariableParts(const TokenList& list, const Variables& variables)
      : list_(list), variables_(variables) {}

  /// Is it surely a number?
  bool is_number(const Node& n) const;

  /// The variable that an expression is a part of, or nullptr where it is in other memory.
  const Variable* path(const Node& n) const;

  /// May the expression designate a variable or a part of one, so that a reference can be bound to
  /// it?
  bool may_be_part(const Node& n) const;

  /// Is the value of a part of a variable a pointer, so that its elements are elsewhere?
  bool is_pointer(const Node& n, const Variable& variable) const;

  /// How many `*` its declaration has, and how many `[...]`.
  int stars(const Variable& variable) const;
  int dimensions(const Variable& variable) const;
  bool is_array(const Variable& variable) const { return dimensions(variable) > 0; }

 private:
  /// Is it a number, or an array of numbers?
  bool of_numbers(const Variable& variable) const;

  const TokenList& list_;
  const Variables& variables_;
};

/// How many subscripts an expression ends with.
int subscripts(const Node& n);

}  // namespace simt::rewrite::split
