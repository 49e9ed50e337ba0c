/// \file
/// Writes one phase: a loop over the threads of a block.
#pragma once

#include <vector>

#include "frontend/edits.hpp"
#include "split/collectives.hpp"
#include "split/linear.hpp"
#include "split/variables.hpp"

namespace simt::rewrite::split {

/// What a thread does between two barriers, in order.
struct PhaseItem {
  const Statement* statement = nullptr;  ///< a statement as it stands; or
  const Variable* variable = nullptr;    ///< the initialisation of a variable declared here
};

/// Is there more than variables that are computed again wherever they are used?
bool does_anything(const std::vector<PhaseItem>& items);

/// A condition that a thread must pass to take part in a kernel: tokens [first, last), negated for
/// `if (G) return;`. It is pure, so it may be evaluated at any place.
struct Guard {
  Index first;
  Index last;
  bool negated;
};

/// A loop in which each thread begins at a place of its own; the block runs it until none is left.
/// A flag for each thread tells who is.
struct StridedLoop {
  const Variable* variable;
  StridedHeader header;
};

class PhaseWriter {
 public:
  PhaseWriter(const TokenList& list, const KernelContext& context, const Variables& variables)
      : list_(list), context_(context), variables_(variables) {}

  /// Once the carriers are known.
  void find_linear_variables(Index first_return) {
    linear_ = find_linear(list_, variables_, first_return);
  }

  /// Appends the loops that run `items` for every thread; after write_guards, for every thread that
  /// passed the kernel's guards.
  void write(const std::vector<PhaseItem>& items, Pieces& out) const;

  /// Appends the head of a strided loop, up to its brace. Until it is left, phases are for the
  /// threads that are still in it.
  void enter(const StridedLoop& loop, Pieces& out);
  void leave() {
    loops_.pop_back();
    masks_.pop_back();
  }
  void leave_if() { masks_.pop_back(); }

  /// The same of an if whose condition may differ between threads; `number` tells it from others.
  void enter_if(const Statement& s, int number, Pieces& out);
  /// Its other branch.
  void enter_else(int number, Pieces& out);

  /// Appends the loops that take the flags of those who leave.
  void write_leaving(const Statement& s, Pieces& out) const;

  /// From now on the tokens of a call give way to a text.
  void replace_call(const CollectiveCall& call, std::string text) {
    replaced_.push_back({call.first, call.last, std::move(text)});
  }

  /// From now on tokens [first, last) are left out.
  void omit(Index first, Index last) { replaced_.push_back({first, last, ""}); }

  /// Appends an array NAME that holds an argument's value for each thread, or the address of what
  /// a reference refers to; and its type NAME_type.
  void write_argument(const std::string& name, Index first, Index last, bool place, int slot,
                      Pieces& out) const;

  /// Does an expression's value for a thread depend on nothing but the block's variables and those
  /// of which there is an element for each thread?
  bool is_stored(Index first, Index last) const;
  /// The one variable of such an expression of which there is an element for each thread, if it is
  /// mentioned once: within each thread's, the expression then means the same place.
  const Variable* variable_around(Index first, Index last) const;
  /// Appends an object NAME that tells the address of such an expression for each thread when it is
  /// asked, and its type NAME_type.
  void write_places(const std::string& name, Index first, Index last, Pieces& out) const;

  /// Appends tokens [first, last).
  void tokens(Index first, Index last, Pieces& out) const;

  /// What follows is for threads whose flag `simt_inside` has: those that call a function, or that
  /// have not left the kernel.
  void mask_by_inside() { masked_ = true; }

  /// The flags of the threads that what is written now is for; empty for all.
  std::string mask() const;

  /// Appends the loops that find out which threads pass the guards.
  void write_guards(const std::vector<Guard>& guards, Pieces& out);

  /// Appends, behind the declaration of a linear variable, what phases that have it go by.
  /// `deferred` are variables of the block that it has not yet.
  void confirm_linear(const Variable& variable, const std::vector<const Variable*>& deferred,
                      Pieces& out) const;

  /// Appends `TYPE NAME INIT;`.
  void write_declaration(const Variable& variable, Pieces& out) const;

 private:
  /// A guard `if (G) return;` or a phase that is one `if (G) {...}`, as an index of items.
  struct Guards {
    std::vector<std::size_t> items;
    bool empty() const { return items.empty(); }
  };

  Guards find_guards(const std::vector<PhaseItem>& items) const;
  bool has_scatter(const std::vector<PhaseItem>& items) const;
  bool has_long_loop(const std::vector<PhaseItem>& items) const;
  bool is_return_guard(const PhaseItem& item) const;
  bool contains(const Statement& statement, std::initializer_list<std::string_view> words) const;
  void thread_body(const std::vector<PhaseItem>& items, const Guards* skip, Pieces& out) const;
  void write_return(const Statement& s, Pieces& out) const;
  void write_condition(const Statement& s, const std::string& negation, Pieces& out) const;
  void write_begins(const StridedLoop& loop, Pieces& out) const;
  void write_activity(const StridedLoop& loop, Pieces& out) const;
  void write_strided(const Variable& variable, Pieces& out) const;
  void guard_body(const std::vector<PhaseItem>& items, const Guards& guards, Pieces& out) const;
  bool asks_thread(const Pieces& body) const;
  /// Appends a lambda with this body, its closing brace included, for one thread.
  void write_thread(Pieces body, Pieces& out) const;
  void enter_thread(Pieces body, Pieces& out) const;
  void prologue(const std::vector<PhaseItem>& items, Pieces& out) const;
  void prologue(const std::vector<bool>& needed, const std::vector<PhaseItem>& items, Pieces& out,
                bool in_place = false) const;
  std::vector<bool> needed_by(const std::vector<PhaseItem>& items) const;
  bool is_copied_array(const Variable& variable) const;
  bool is_only_declared(const PhaseItem& item, const std::vector<PhaseItem>& items) const;
  bool uses_carried_array(const std::vector<PhaseItem>& items) const;
  bool is_modified_in(const Variable& variable, const std::vector<PhaseItem>& items,
                      const std::vector<bool>& needed) const;
  void need(Index first, Index last, std::vector<bool>& needed) const;
  void epilogue(const std::vector<PhaseItem>& items, Pieces& out) const;
  void write_item(const PhaseItem& item, Pieces& out) const;
  bool counts_threads(const Variable& variable) const;
  bool counts_grid(const Variable& variable) const;
  void write_counts(const std::vector<PhaseItem>& items, const std::vector<bool>& needed,
                    Pieces& out) const;
  void write_linear(const Variable& variable, const std::string& name, Pieces& out) const;
  bool is_read_in_place(const Variable& variable, const std::vector<PhaseItem>& items,
                        const std::vector<bool>& needed) const;
  void write_slot(const Variable& variable, bool in_place, Pieces& out) const;
  void write_reference(const Variable& variable, Pieces& out) const;
  void write_initial(const Variable& variable, bool is_used, Pieces& out) const;
  std::size_t number(const Variable& variable) const {
    return static_cast<std::size_t>(&variable - variables_.all().data());
  }

  const TokenList& list_;
  const KernelContext& context_;
  const Variables& variables_;
  std::vector<bool> linear_;        ///< by number
  bool masked_ = false;             ///< there are guards, and what follows is for who passed
  std::vector<StridedLoop> loops_;  ///< those that what is written now stands in
  std::vector<std::string> masks_;  ///< flags of who is in them, and in ifs
  struct Replaced {
    Index first, last;
    std::string text;
  };
  std::vector<Replaced> replaced_;
};

}  // namespace simt::rewrite::split
