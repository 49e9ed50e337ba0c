/// \file
/// The variables of a kernel that live across barriers, what happens to them, and how each is
/// carried over.
///
/// Everything here is a list of what is known to be safe. A use of no known form may do anything to
/// the variable, an expression of no known form is neither pure nor the same for all threads.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/edits.hpp"
#include "split/collectives.hpp"
#include "split/declarations.hpp"
#include "split/statement.hpp"

namespace simt::rewrite::split {

/// What the rest of the rewriter knows and the split needs.
struct KernelContext {
  Index first = kNone;        ///< of the kernel's declaration, template header included
  Index declaration = kNone;  ///< behind the template header
  Index params_open = kNone;
  Index params_close = kNone;
  Index body_open = kNone;
  Pieces prologue;                  ///< declarations for the head of the body
  bool needs_thread_state = false;  ///< a reachable function reads threadIdx and the like
  bool clang = false;               ///< the result is for clang
  /// May tokens [first, last) make a thread wait for another?
  std::function<bool(Index first, Index last)> may_block;
  const Declarations* declarations = nullptr;
  /// Calls in which threads meet, and which can be made once for the block.
  const CollectiveNames* collectives = nullptr;
  /// It is no kernel but a function that is run once for the threads of a block.
  bool is_function = false;
  /// Of its parameters, which are references: the function gets an address for each thread.
  std::vector<bool> references = {};
  /// Does what the tokens reach, themselves not counted, ask which thread runs it?
  std::function<bool(Index first, Index last)> asks_thread;
  /// Does it, or do the tokens themselves need `needs_thread_state`, wherever they came from?
  std::function<bool(Index first, Index last)> needs_state_in;
  /// Gets the numbers of the function's parameters that have to be the same in all lanes of a warp.
  std::set<std::size_t>* uniform_parameters = nullptr;
};

/// How a variable is carried from one phase to the next.
enum class Carrier {
  uniform,     ///< the same in every thread: one variable for the block
  recomputed,  ///< never modified and cheap: declared again in every phase that mentions it
  local,       ///< mentioned in one phase only
  per_thread,  ///< an array with an element for each thread
  strided,     ///< of a strided loop: where the thread began, and how far the block has come
};

enum class UseKind {
  read,
  write,
  keep,  ///< read, and its address may be kept
  bind,  ///< anything: it may be modified, and its address kept
};

struct Use {
  Index token;
  UseKind kind;
};

struct Variable {
  std::string_view name;     ///< that the result has for it
  std::string_view spelled;  ///< in the source; another variable that it hides may have it, too
  Declarator declarator;
  bool is_parameter = false;
  std::size_t number = 0;  ///< of a parameter
  bool in_for_header = false;
  bool is_const = false;  ///< declared so: C++ itself sees to it
  bool is_reference = false;
  bool is_placed = false;     ///< a call in which threads meet gets its address
  Index scope_first = kNone;  ///< where the name means this variable: tokens [first, last)
  Index scope_last = kNone;
  std::vector<Use> uses;
  Carrier carrier = Carrier::local;
  bool pure = false;    ///< never modified, and its initialiser may be evaluated again
  bool stable = false;  ///< its address may be kept over a barrier: it must not move

  bool is_renamed() const { return name != spelled; }
  bool is_modified() const;
  bool is_kept() const;
  /// Has somebody its address?
  bool is_pinned() const { return stable || is_placed; }
  bool has_type(const TokenList& list, std::string_view word) const;
};

/// A range of tokens that may modify uniform variables once for the whole block: an expression
/// statement between barriers, or a part of a for header.
struct BlockLevelExpression {
  Index first;
  Index last;
};

/// Tokens of a type of which memory may be, or of what a parameter of it points at.
struct MemoryType {
  Index first, last;
  bool pointed_at;
};

/// Declarations and uses of a kernel's variables, and which of them are uniform.
class Variables {
 public:
  Variables(const TokenList& list, const KernelContext& context, const Statement& body);
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  std::vector<Variable>& all() { return variables_; }
  const std::vector<Variable>& all() const { return variables_; }

  /// The variable that token i names, or nullptr (a member, an inner or a global name).
  const Variable* find(Index i) const;
  Variable* find(Index i) { return const_cast<Variable*>(std::as_const(*this).find(i)); }

  /// A variable, a number of the kernel's template header, or what may be a type.
  NameKind kind_of_name(Index i) const;

  /// Notes that the address of the built-in variable at i may be kept.
  void note_kept_builtin(Index i) { kept_builtin_ = std::min(kept_builtin_, i); }
  /// The first of them, or kNone.
  Index kept_builtin() const { return kept_builtin_; }

  /// Do tokens [first, last) declare variables?
  bool declares(Index first, Index last) const {
    return split::declares(list_, first, last, [&](Index i) { return find(i) != nullptr; });
  }
  /// Is the expression the same in all threads of a block, and does it change nothing?
  bool is_uniform(Index first, Index last) const;
  /// The same for one that may assign to uniform variables.
  bool is_uniform_step(Index first, Index last) const;
  /// May it be evaluated again? It reads no memory, changes nothing, and names only what is pure.
  bool is_pure(Index first, Index last) const;
  /// Does it modify a uniform variable?
  bool modifies_uniform(Index first, Index last) const;

  /// What the compiler has to confirm for an expression's being uniform or pure.
  struct Confirmation {
    enum Kind {
      constant,     ///< the expression is a constant
      number,       ///< its type is a number's or a pointer's
      number_type,  ///< it is the type of numbers or pointers
    };
    Index first, last;
    Kind kind;
  };
  std::vector<Confirmation> confirmations(Index first, Index last) const;

  /// Tokens of types that must be numbers or vectors wherever the kernel is instantiated.
  const std::vector<BlockLevelExpression>& value_types() const { return value_types_; }
  bool is_value_type(Index first, Index last);

  /// May the kernel's memory hold addresses of its variables? (memory.cpp)
  bool memory_holds_addresses(const Statement& body) const;
  /// May the variable itself hold one?
  bool holds_address(const Variable& variable) const;
  /// The types for which memory_holds_addresses() relies on the compiler.
  std::vector<MemoryType> memory_types(const Statement& body) const;
  /// The same of a `__shared__` declaration: the tokens of types that it names by an alias.
  std::vector<Index> aliases_in_shared(const Statement& s) const;
  /// Does a token stand in a loop in which threads begin at different places, or in its header?
  bool in_strided_loop(Index i) const {
    return std::any_of(strided_loops_.begin(), strided_loops_.end(),
                       [&](const auto& loop) { return loop.first <= i && i < loop.last; });
  }
  /// Is it a type of the kernel's template header?
  bool is_template_type(std::string_view word) const;

  const ClassFacts* class_of(const Variable& variable) const;
  /// Names of types, constants and shared variables that the kernel declares, and where.
  struct LocalName {
    std::string_view name;
    Index at;
  };
  const std::vector<LocalName>& local_names() const { return local_names_; }
  bool is_local_name(std::string_view name) const;

 private:
  void add_parameters(const Statement& body);
  void collect(const Statement& list_statement, bool barrier_level);
  void collect_statement(const Statement& statement, Index scope_last, bool barrier_level);
  void declare(Index first, Index last, Index scope_last, bool in_for_header);
  void add_variables(const std::vector<Declarator>& declarators, Index scope_last,
                     bool in_for_header);
  void tell_apart();
  void find_uniform();
  bool stays_uniform(const Variable& variable) const;
  bool in_step_with(const Variable& variable, Index modification) const;
  std::optional<Node> parse(Index first, Index last) const;
  bool is_initialiser(const Variable& variable, bool uniform) const;
  bool steps(const Node& node) const;
  bool known(const Node& node, bool uniform) const;
  bool is_constant(const Node& node) const;
  bool is_plain_type(Index first, Index last) const;
  bool is_alias_alone(Index i) const;
  void add_memory_type(Index first, Index last, std::vector<MemoryType>& result) const;
  void confirm(const Node& node, std::vector<Confirmation>& result) const;

  const TokenList& list_;
  const KernelContext& context_;
  std::vector<Variable> variables_;
  std::deque<std::string> names_;  ///< of variables that hide others
  std::vector<LocalName> local_names_;
  std::vector<std::string_view> shared_names_;
  Index kept_builtin_ = kNone;
  std::vector<BlockLevelExpression> block_level_;
  std::vector<BlockLevelExpression> value_types_;
  /// Loops that threads leave at different times: what is modified there is not uniform.
  std::vector<BlockLevelExpression> strided_loops_;
};

/// Finds out what a kernel's statements do to its variables. (uses.cpp)
void collect_uses(const TokenList& list, const KernelContext& context, Variables& variables,
                  const Statement& body);

/// The part of an initialiser between its brackets, or behind its `=`.
BlockLevelExpression initial_value(const TokenList& list, const Declarator& declarator);

/// The `[` of the lambda in `auto f = [&](...) {...};`, or kNone: one without a state of its own,
/// which means the same wherever it is written.
Index lambda_of(const TokenList& list, const Variable& variable);

}  // namespace simt::rewrite::split
