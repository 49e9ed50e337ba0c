/// \file
/// Assertions by which the compiler confirms what a split takes for granted and tokens do not tell.
#pragma once

#include "split/variables.hpp"

namespace simt::rewrite::split {

class ConfirmationWriter {
 public:
  ConfirmationWriter(const TokenList& list, const Variables& variables, const Statement& body)
      : list_(list), variables_(variables), body_(body) {}

  /// What makes tokens [first, last) pure or the same for all threads.
  void write(Index first, Index last, Pieces& out) const;

  /// A declared variable is a number.
  void write_number(const Declarator& declarator, Pieces& out) const;

  /// An argument that is only copied: an enumeration will do.
  void write_constant(Index first, Index last, Pieces& out) const;

  /// Of a condition, or of the initialisers in a for header: what names its variables is confirmed
  /// inside of the loop, by write_inside.
  void write_header(const Statement& s, Pieces& out) const;
  void write_inside(const Statement& s, Pieces& out) const;

  /// At the head of the body: the types of values, and of memory where it matters.
  void write_types(Pieces& out) const;

  /// Behind a `__shared__` declaration.
  void write_shared(const Statement& s, Pieces& out) const;

 private:
  bool relies_on_memory() const;
  void write_memory(Pieces& out) const;

  const TokenList& list_;
  const Variables& variables_;
  const Statement& body_;
};

}  // namespace simt::rewrite::split
