/// \file
/// The variables of a kernel that live across barriers, and how each is carried over them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../edits.hpp"
#include "statement.hpp"

namespace simt::rewrite::split {

/// What the rest of the rewriter knows and the split needs.
struct KernelContext {
  using Names = std::set<std::string, std::less<>>;
  Index params_open = kNone;
  Index params_close = kNone;
  Index body_open = kNone;
  Pieces prologue;                  ///< declarations for the head of the body
  bool needs_thread_state = false;  ///< a reachable function reads threadIdx and the like
  bool clang = false;               ///< the result is for clang
  /// May tokens [first, last) make a thread wait for another?
  std::function<bool(Index first, Index last)> may_block;
  Names pure_functions;       ///< constexpr functions of this translation unit
  Names reference_functions;  ///< functions with a parameter they may modify by reference
  Names device_variables;     ///< `__device__` variables, which any thread may change
};

/// How a variable is carried from one phase to the next.
enum class Carrier {
  uniform,     ///< the same in every thread: one variable for the block
  recomputed,  ///< never modified and cheap: declared again in every phase that mentions it
  local,       ///< mentioned in one phase only
  per_thread,  ///< an array with an element for each thread
  strided,     ///< of a strided loop: where the thread began, and how far the block has come
};

struct Variable {
  std::string_view name;
  Declarator declarator;
  bool is_parameter = false;
  bool in_for_header = false;
  Index scope_first = kNone;  ///< where the name means this variable: tokens [first, last)
  Index scope_last = kNone;
  std::vector<Index> uses;
  std::vector<Index> modifications;
  Carrier carrier = Carrier::local;
  bool pure = false;  ///< never modified, and its initialiser reads no memory

  bool is_reference(const TokenList& list) const;
  bool type_has(const TokenList& list, std::string_view word) const;
};

/// A range of tokens that may modify uniform variables once for the whole block: an expression
/// statement between barriers, or a part of a for header.
struct BlockLevelExpression {
  Index first;
  Index last;
};

/// Declarations and uses of a kernel's variables, and which of them are uniform.
class Variables {
 public:
  Variables(const TokenList& list, const KernelContext& context, const Statement& body);

  std::vector<Variable>& all() { return variables_; }
  const std::vector<Variable>& all() const { return variables_; }

  /// The variable that token i names, or nullptr (a member, an inner or a global name).
  const Variable* find(Index i) const;

  /// Is the expression the same in all threads of a block? It may assign to uniform variables.
  bool is_uniform(Index first, Index last) const;
  /// Does it read no memory and modify nothing, so that it may be evaluated again?
  bool is_pure(Index first, Index last) const;
  /// Does it modify a uniform variable?
  bool modifies_uniform(Index first, Index last) const;

 private:
  struct Declared {
    std::string_view name;
    Index first;
    Index last;
    int variable;  ///< into variables_, or -1 for an inner declaration
  };

  void add_parameters(const Statement& body);
  void collect(const Statement& list_statement, bool barrier_level);
  void collect_statement(const Statement& statement, Index scope_last, bool barrier_level);
  void declare(Index first, Index last, Index scope_last, bool barrier_level, bool in_for_header);
  void collect_uses(const Statement& body);
  bool is_modified_at(const Variable& variable, Index i) const;
  bool is_assignment(Index i) const;
  bool passed_by_reference(Index i) const;
  void find_uniform();
  bool stays_uniform(const Variable& variable) const;
  bool in_step_with(const Variable& variable, Index modification) const;
  bool expression(Index first, Index last, bool uniform, bool may_assign) const;
  bool call_allowed(Index name) const;

  const TokenList& list_;
  const KernelContext& context_;
  std::vector<Variable> variables_;
  std::vector<Declared> declared_;
  std::vector<BlockLevelExpression> block_level_;
  /// Loops that threads leave at different times: what is modified there is not uniform.
  std::vector<BlockLevelExpression> strided_loops_;
};

}  // namespace simt::rewrite::split
