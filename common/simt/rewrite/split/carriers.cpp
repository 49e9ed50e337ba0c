#include "split/carriers.hpp"

#include <algorithm>
#include <set>

#include "frontend/analysis.hpp"

namespace simt::rewrite::split {
namespace {

class Carriers {
 public:
  Carriers(const TokenList& list, const Statement& body, const Checks& checks, Variables& variables,
           bool hoist)
      : list_(list), body_(body), checks_(checks), variables_(variables), hoist_(hoist) {}

  void choose() {
    find_stable();
    for (Variable& variable : variables_.all()) {
      if (variable.carrier == Carrier::strided) continue;
      const bool pinned = variable.is_pinned();
      if (variable.carrier == Carrier::uniform && (variable.is_parameter || !pinned)) continue;
      if (stays_home(variable) && !pinned) {
        variable.carrier = Carrier::local;
      } else {
        carry(variable);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Variable& variable : variables_.all()) {
        if (variable.carrier == Carrier::recomputed) changed |= carry_operands(variable);
      }
    }
  }

 private:
  int home(const Variable& variable) const {
    return variable.is_parameter ? -1 : checks_.phase_of(variable.declarator.name);
  }

  bool stays_home(const Variable& variable) const {
    const int phase = home(variable);
    return phase >= 0 &&
           std::all_of(variable.uses.begin(), variable.uses.end(),
                       [&](const Use& use) { return checks_.phase_of(use.token) == phase; });
  }

  /// A variable whose address may be kept when its phase has ended must not move: something that
  /// holds addresses and outlives the phase changes in it.
  void find_stable() {
    bool everywhere = variables_.memory_holds_addresses(body_);
    std::set<int> phases;
    for (const Variable& holder : variables_.all()) {
      if (!variables_.holds_address(holder) || stays_home(holder)) continue;
      if (holder.carrier == Carrier::uniform || holder.pure || is_lambda(holder)) continue;
      if (!holder.is_parameter) phases.insert(home(holder));
      for (const Use& use : holder.uses) {
        if (use.kind == UseKind::write || use.kind == UseKind::bind) {
          phases.insert(checks_.phase_of(use.token));
          everywhere = everywhere || in_lambda(use.token);
        }
      }
    }
    for (Variable& variable : variables_.all()) {
      variable.stable =
          std::any_of(variable.uses.begin(), variable.uses.end(), [&](const Use& use) {
            const bool kept = use.kind == UseKind::keep || use.kind == UseKind::bind;
            return kept && (everywhere || checks_.is_in_phases(use.token, phases) ||
                            (!phases.empty() && in_lambda(use.token)));
          });
    }
  }

  void carry(Variable& variable) const {
    if (!variable.is_pinned() &&
        ((variable.pure && operands_stay(variable)) || is_lambda(variable))) {
      variable.carrier = Carrier::recomputed;
      return;
    }
    variable.carrier = Carrier::per_thread;
    const Index at = variable.declarator.name;
    require(!variable.in_for_header, at, "a loop's variable that differs between threads");
    if (variable.is_reference && !variable.is_parameter) {
      const Index before = variable.declarator.name - 1;
      require(list_.is(before, "&") && list_.is(variable.declarator.init_first, "="), at,
              "a reference of this form that lives across a barrier");
    }
    require(!variable.has_type(list_, "auto") || has_block_type(variable), at,
            "a variable without a type of its own");
    require(!hoist_ || !variable.declarator.is_array(), at, "an array that lives across phases");
  }

  /// Can the block tell the type of `auto x = ...`?
  bool has_block_type(const Variable& variable) const {
    const Declarator& d = variable.declarator;
    if (!list_.is(d.init_first, "=") || list_.is(d.init_first + 1, "{")) return false;
    for (Index i = d.init_first + 1; i < d.init_last; ++i) {
      const Variable* operand = variables_.find(i);
      if (list_.is(i, "[") && begins_lambda(list_, i)) return false;
      if (operand != nullptr && operand->carrier != Carrier::uniform) return false;
    }
    return true;
  }

  /// What is computed again in another phase needs its operands there.
  bool carry_operands(const Variable& variable) {
    bool changed = false;
    const Declarator& d = variable.declarator;
    for (Index i = d.init_first; i < d.init_last; ++i) {
      Variable* operand = variables_.find(i);
      if (operand == nullptr || operand->carrier != Carrier::local) continue;
      carry(*operand);
      changed = true;
    }
    return changed;
  }

  /// Is nothing that the initialiser mentions modified while the variable lives?
  bool operands_stay(const Variable& variable) const {
    const Declarator& d = variable.declarator;
    for (Index i = d.init_first; i < d.init_last; ++i) {
      const Variable* operand = variables_.find(i);
      if (operand == nullptr) continue;
      for (const Use& use : operand->uses) {
        const bool changes = use.kind == UseKind::write || use.kind == UseKind::bind;
        if (changes && variable.scope_first <= use.token && use.token < variable.scope_last) {
          return false;
        }
      }
      if (operand->pure && !operands_stay(*operand)) return false;
    }
    return true;
  }

  /// It can be written again in every phase.
  bool is_lambda(const Variable& variable) const {
    return !variable.is_modified() && lambda_of(list_, variable) != kNone;
  }

  /// Does a token stand in a lambda that is written again in other phases?
  bool in_lambda(Index i) const {
    return std::any_of(variables_.all().begin(), variables_.all().end(), [&](const Variable& v) {
      return v.declarator.init_first <= i && i < v.declarator.init_last && is_lambda(v);
    });
  }

  const TokenList& list_;
  const Statement& body_;
  const Checks& checks_;
  Variables& variables_;
  bool hoist_;
};

}  // namespace

void choose_carriers(const TokenList& list, const Statement& body, const Checks& checks,
                     Variables& variables, bool hoist) {
  Carriers(list, body, checks, variables, hoist).choose();
}

}  // namespace simt::rewrite::split
