/// \file
/// Which kernels can be split, and which phase each statement belongs to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "split/phase.hpp"

namespace simt::rewrite::split {

/// Thrown when a kernel is not of the kind that can be split; split_kernel() catches it.
struct NotSplittable {
  Index at;         ///< the token that stands in the way
  const char* why;  ///< "WHAT stands in the way"
};

void require(bool condition, Index at, const char* why);

class Checks {
 public:
  Checks(const TokenList& list, const KernelContext& context, const Variables& variables,
         const Statement& body, const std::vector<Guard>& guards)
      : list_(list), context_(context), variables_(variables), body_(body), guards_(guards) {}

  /// Throws NotSplittable.
  void run();

  /// The phase that token i belongs to; -1 between phases.
  int phase_of(Index i) const;
  /// Is a token in one of the phases? An argument of a call in which threads meet is in that of the
  /// arguments, and in that of its statement.
  bool is_in_phases(Index i, const std::set<int>& phases) const;

  /// Is it run once for the block, because it modifies a uniform variable?
  bool is_block_level(const Statement& s) const;
  bool is_block_jump(const Statement& s) const;

  /// The calls of a statement in which threads meet.
  std::vector<CollectiveCall> calls(const Statement& s) const;

  /// The variable of a strided loop.
  const Variable& strided_variable(const Statement& s) const;

 private:
  void check_guards() const;
  static bool is_barrier(const Statement& statement, Index i);
  void check_tokens() const;
  void check_names() const;
  void check_statement(const Statement& s) const;
  bool could_declare(const Node& node) const;
  void number_phases(const std::vector<Statement>& statements);
  void check_header(const Statement& s) const;
  void check_strided(const Statement& s) const;
  void check_masked(const Statement& s) const;
  void check_whole_warps(const Statement& s) const;
  void check_uniform_arguments(const CollectiveCall& call) const;
  void check_own_addresses(const CollectiveCall& call) const;
  bool is_own_address(Index i, Index first) const;
  bool is_whole_builtin(Index i) const;
  void check_returns(const Statement& s) const;
  static bool is_last(const Statement& list, const Statement& s);
  void check_jumps(const Statement& s, bool some) const;
  bool leaves_loop(const Statement& s) const;
  bool in_barrier_loop(Index i) const;
  bool in_barrier_loop(const Statement& s, Index i) const;

  struct PhaseRange {
    Index first;
    Index last;
    int phase;
  };

  const TokenList& list_;
  const KernelContext& context_;
  const Variables& variables_;
  const Statement& body_;
  const std::vector<Guard>& guards_;
  std::vector<PhaseRange> ranges_;
  int phase_ = 0;
  int last_phase_ = 0;
};

}  // namespace simt::rewrite::split
