/// \file
/// A kernel's body as a tree of statements: what the split at barriers works on.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "split/expression.hpp"

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
  /// It has calls in which threads meet, which are made for the whole block before the rest of it.
  bool collective = false;
  /// It has a barrier of the whole block, or a call that has one.
  bool block_barrier = false;
  /// An if around calls in which the threads of a warp meet: it may differ between threads.
  bool masked = false;
  /// It is no if of the source's, but made of a loop `for (...; A && C; ...)` where C is a
  /// constant.
  bool lifted = false;
  /// Where the condition of a for ends, if a part of it was lifted.
  Index condition_last = kNone;
  /// `if (C) {...; return;} REST` of a function, as `if (C) {...; return;} else {REST}`.
  bool returns = false;
  /// `if (C) return;` of a kernel's own body, with barriers behind it: who leaves is arrived there.
  bool leaves = false;
};

/// What an if without an else does, and no braces around a single statement; null for all else.
const Statement* lone_branch(const Statement& s);

/// The statements between the braces at `open` and its partner, as a block.
Statement parse_statements(const TokenList& list, Index open);

/// The names that a `__shared__` or fixed statement declares.
std::vector<Index> declared_names(const TokenList& list, const Statement& statement);

/// The two semicolons of a for header whose parentheses are `statement.open` and `.close`;
/// first == kNone for a range-based for.
struct ForHeader {
  Index first_semicolon = kNone;
  Index second_semicolon = kNone;
  Index condition_last = kNone;
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

/// The parameters between a function's parentheses, of which the first is at `open`.
std::vector<std::pair<Index, Index>> parameter_ranges(const TokenList& list, Index open);

/// The declarator of a parameter in tokens [first, last), `T (&name)[4]` included; empty where it
/// has none of a known form.
std::vector<Declarator> parse_parameter(const TokenList& list, Index first, Index last);

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

/// Do tokens [first, last) declare variables? `a && f(b)` does where a is a type, and not where it
/// is a variable.
bool declares(const TokenList& list, Index first, Index last,
              const std::function<bool(Index)>& is_variable);

/// The declarators of tokens [first, last), the semicolon excluded; empty if it is no declaration
/// of the simple kind (structured bindings, function pointers, ...).
std::vector<Declarator> parse_declarators(const TokenList& list, Index first, Index last);

}  // namespace simt::rewrite::split
