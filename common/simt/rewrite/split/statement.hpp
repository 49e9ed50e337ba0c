/// \file
/// A kernel's body as a tree of statements: what the split at barriers works on.
#pragma once

#include <vector>

#include "../token.hpp"

namespace simt::rewrite::split {

enum class StatementKind {
  expression,
  declaration,  ///< of variables
  shared,       ///< a `__shared__` declaration
  fixed,        ///< a type, an alias, a static_assert or a constexpr: the same for every thread
  block,
  if_statement,
  for_statement,
  while_statement,
  do_statement,
  switch_statement,
  return_statement,
  jump,     ///< break, continue, goto
  barrier,  ///< exactly `__syncthreads();`
  pragma,
  other,
};

/// One statement: tokens [first, last).
struct Statement {
  StatementKind kind = StatementKind::other;
  Index first = kNone;
  Index last = kNone;
  Index open = kNone;  ///< parentheses of a condition or a for header
  Index close = kNone;
  std::vector<Statement> children = {};  ///< of a block; then [else] of an if; the body of a loop
  bool has_barrier = false;              ///< it is or contains a barrier
  /// A for loop `for (T i = INIT; i < LIMIT; i += STEP)` in which threads begin at different places
  /// and move by the same step: run for all threads of the block together.
  bool strided = false;
};

/// The statements between the braces at `open` and its partner, as a block.
Statement parse_statements(const TokenList& list, Index open);

/// The names that a `__shared__` or fixed statement declares.
std::vector<Index> declared_names(const TokenList& list, const Statement& statement);

/// The two semicolons of a for header whose parentheses are `statement.open` and `.close`;
/// first == kNone for a range-based for.
struct ForHeader {
  Index first_semicolon = kNone;
  Index second_semicolon = kNone;
};
ForHeader for_header(const TokenList& list, const Statement& statement);

/// One declared name: `float acc[4] = {}` of `float acc[4] = {}, total = 0;`.
struct Declarator {
  Index type_first = kNone;  ///< the words before the first declarator
  Index type_last = kNone;
  Index pointer_first = kNone;  ///< `*`, `&`, const between type and name
  Index name = kNone;
  Index dims_first = kNone;  ///< `[4][8]`
  Index dims_last = kNone;
  Index init_first = kNone;  ///< with its `=`, `{` or `(`
  Index init_last = kNone;

  bool is_array() const { return dims_first != dims_last; }
  bool has_init() const { return init_first != init_last; }
};

/// The parts of a for header of the form `T i = INIT; i < LIMIT; i += STEP`; not valid otherwise.
struct StridedHeader {
  Declarator variable = {};
  Index condition_first = kNone;  ///< `i < LIMIT`
  Index condition_last = kNone;
  Index step_first = kNone;  ///< STEP
  Index step_last = kNone;
  bool valid = false;
};
StridedHeader strided_header(const TokenList& list, const Statement& statement);

/// The declarators of tokens [first, last), the semicolon excluded; empty if it is no declaration
/// of the simple kind (structured bindings, function pointers, ...).
std::vector<Declarator> parse_declarators(const TokenList& list, Index first, Index last);

}  // namespace simt::rewrite::split
