// What a phase has of the variables that live across barriers.
#include <algorithm>
#include <string>

#include "frontend/analysis.hpp"
#include "split/phase.hpp"
#include "split/phase_text.hpp"

namespace simt::rewrite::split {
namespace {

std::string type_alias(const Variable& variable) {
  return "simt_type_" + std::string(variable.name);
}

/// Does a statement end its thread, and not just a lambda in it?
bool returns(const TokenList& list, const Statement& s) {
  for (Index i = s.first; i < s.last; ++i) {
    if (begins_lambda(list, i)) i = list.match[lambda_body(list, i)];
    if (list.is(i, "return")) return true;
  }
  return false;
}

std::string storage(const Variable& variable) { return "simt_all_" + std::string(variable.name); }

}  // namespace

/// Marks what the tokens mention, and what that needs in turn.
void PhaseWriter::need(Index first, Index last, std::vector<bool>& needed) const {
  for (Index i = first; i < last; ++i) {
    const Variable* variable = variables_.find(i);
    if (variable == nullptr || needed[number(*variable)]) continue;
    if (variable->carrier == Carrier::uniform || variable->carrier == Carrier::local) continue;
    needed[number(*variable)] = true;
    if (variable->carrier != Carrier::per_thread) {
      need(variable->declarator.init_first, variable->declarator.init_last, needed);
    }
  }
}

std::vector<bool> PhaseWriter::needed_by(const std::vector<PhaseItem>& items) const {
  std::vector<bool> needed(variables_.all().size(), false);
  for (const PhaseItem& item : items) {
    if (item.statement != nullptr) {
      need(item.statement->first, item.statement->last, needed);
    } else {
      const Declarator& d = item.variable->declarator;
      need(d.type_first, d.init_last, needed);
    }
  }
  return needed;
}

void PhaseWriter::prologue(const std::vector<PhaseItem>& items, Pieces& out) const {
  prologue(needed_by(items), items, out);
}

/// Declares what is needed from before; what `items` declare themselves comes in its place. With
/// `in_place`, what has an element for each thread is that element, of which an address is wanted.
void PhaseWriter::prologue(const std::vector<bool>& needed, const std::vector<PhaseItem>& items,
                           Pieces& out, bool in_place) const {
  for (const Variable& variable : variables_.all()) {
    const bool declared_here = std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
      return item.variable == &variable;
    });
    if (!needed[number(variable)] || declared_here) continue;
    if (variable.carrier == Carrier::recomputed) {
      add(out, " [[maybe_unused]]");
      write_declaration(variable, out);
    } else if (variable.carrier == Carrier::strided) {
      write_strided(variable, out);
    } else {
      const bool read_in_place =
          variable.declarator.is_array() && is_read_in_place(variable, items, needed);
      write_slot(variable, in_place || read_in_place, out);
    }
  }
}

/// A variable that has an element for each thread, by name. What is a number, a vector or a small
/// array of them is copied, so that it can be in a register, unless its address may be kept; see
/// epilogue.
void PhaseWriter::write_slot(const Variable& variable, bool in_place, Pieces& out) const {
  const std::string name(variable.name);
  if (variable.is_reference) return write_reference(variable, out);
  std::string type = std::string(variable.is_const ? "const " : "") + type_alias(variable);
  std::string place = storage(variable) + kOwn;
  if (in_place) {
    type = variable.is_const ? "const auto&" : "auto&";
  } else if (is_copied_array(variable)) {
    add(out, " ::simt::CarriedArray<" + type + "> simt_carried_" + name + "(" + place + ");");
    place = "simt_carried_" + name + ".array";
    type += "&";
  } else {
    type = variable.declarator.is_array() || variable.stable ? type + "&"
                                                             : "::simt::carried_t<" + type + ">";
  }
  add(out, " [[maybe_unused]] " + type + " " + name + " = " + place + ";");
}

/// A reference, to what its thread's has always been.
void PhaseWriter::write_reference(const Variable& variable, Pieces& out) const {
  const Declarator& d = variable.declarator;
  const std::string name(variable.name);
  const std::string place =
      "*" + (variable.is_parameter ? "simt_given_" + name : storage(variable)) + kOwn;
  add(out, " [[maybe_unused]] ");
  add(out, d.type_first, d.type_last);
  add(out, " ");
  add(out, d.pointer_first, d.dims_last);
  add(out, " = " + place + ";");
  if (!variable.is_parameter) return;
  add(out, " static_assert(::simt::kIsPlaceOf<decltype(" + name + "), decltype(" + place + ")>" +
               kConfirmed);
}

/// Is it an array of which phases may have a copy?
bool PhaseWriter::is_copied_array(const Variable& variable) const {
  return variable.carrier == Carrier::per_thread && variable.declarator.is_array() &&
         !variable.is_reference && !variable.is_parameter && !variable.stable;
}

/// Does a phase use an array that lives across barriers? Its threads run one after another: what
/// can be a vector in it is the elements of a thread, such as a row of its tile.
bool PhaseWriter::uses_carried_array(const std::vector<PhaseItem>& items) const {
  const std::vector<bool> needed = needed_by(items);
  return std::any_of(variables_.all().begin(), variables_.all().end(), [&](const Variable& v) {
    const bool declared = std::any_of(items.begin(), items.end(),
                                      [&](const PhaseItem& item) { return item.variable == &v; });
    return is_copied_array(v) && (declared || needed[number(v)]) &&
           !(needed[number(v)] && is_read_in_place(v, items, needed));
  });
}

/// Is it an array that these items declare, and that nothing else in them uses? No copy is needed.
bool PhaseWriter::is_only_declared(const PhaseItem& item,
                                   const std::vector<PhaseItem>& items) const {
  if (item.variable == nullptr || !is_copied_array(*item.variable)) return false;
  const Variable& variable = *item.variable;
  const auto mentions = [&](Index first, Index last) {
    return std::any_of(variable.uses.begin(), variable.uses.end(),
                       [&](const Use& use) { return first <= use.token && use.token < last; });
  };
  const std::vector<bool> needed = needed_by(items);
  return std::none_of(items.begin(), items.end(),
                      [&](const PhaseItem& other) {
                        if (other.statement != nullptr) {
                          return mentions(other.statement->first, other.statement->last);
                        }
                        const Declarator& d = other.variable->declarator;
                        return mentions(d.init_first, d.init_last);
                      }) &&
         std::none_of(variables_.all().begin(), variables_.all().end(), [&](const Variable& v) {
           return &v != &variable && needed[number(v)] &&
                  mentions(v.declarator.init_first, v.declarator.init_last);
         });
}

/// Are single elements all that a phase has of an array, outside of loops? A copy of the rest would
/// not be used.
bool PhaseWriter::is_read_in_place(const Variable& variable, const std::vector<PhaseItem>& items,
                                   const std::vector<bool>& needed) const {
  if (items.empty() || is_modified_in(variable, items, needed)) return false;
  const auto mentions = [&](Index first, Index last) {
    return std::any_of(variable.uses.begin(), variable.uses.end(),
                       [&](const Use& use) { return first <= use.token && use.token < last; });
  };
  const auto is_element = [&](Index first, Index last) {
    return std::all_of(variable.uses.begin(), variable.uses.end(), [&](const Use& use) {
      return use.token < first || use.token >= last || list_.is(use.token + 1, "[");
    });
  };
  for (const PhaseItem& item : items) {
    if (item.variable == &variable) return false;
    const Declarator* d = item.variable != nullptr ? &item.variable->declarator : nullptr;
    const Index first = d != nullptr ? d->type_first : item.statement->first;
    const Index last = d != nullptr ? d->init_last : item.statement->last;
    if (!is_element(first, last)) return false;
    for (Index i = first; i < last && mentions(first, last); ++i) {
      if (list_.is(i, "for") || list_.is(i, "while") || begins_lambda(list_, i)) return false;
    }
  }
  return std::none_of(variables_.all().begin(), variables_.all().end(), [&](const Variable& v) {
    return needed[number(v)] && v.carrier != Carrier::per_thread &&
           mentions(v.declarator.init_first, v.declarator.init_last);
  });
}

/// Is it written, or what is known of it lost, in these items or in lambdas that they need?
bool PhaseWriter::is_modified_in(const Variable& variable, const std::vector<PhaseItem>& items,
                                 const std::vector<bool>& needed) const {
  return std::any_of(variable.uses.begin(), variable.uses.end(), [&](const Use& use) {
    if (use.kind != UseKind::write && use.kind != UseKind::bind) return false;
    const auto within = [&](Index first, Index last) {
      return first <= use.token && use.token < last;
    };
    for (const PhaseItem& item : items) {
      if (item.statement != nullptr && within(item.statement->first, item.statement->last)) {
        return true;
      }
      if (item.variable != nullptr &&
          within(item.variable->declarator.init_first, item.variable->declarator.init_last)) {
        return true;
      }
    }
    return std::any_of(variables_.all().begin(), variables_.all().end(), [&](const Variable& v) {
      return needed[number(v)] && within(v.declarator.init_first, v.declarator.init_last);
    });
  });
}

/// Writes back what was copied and modified. A phase that returns is the last one, so its values
/// are not needed any more.
void PhaseWriter::epilogue(const std::vector<PhaseItem>& items, Pieces& out) const {
  if (std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
        return item.statement != nullptr && contains(*item.statement, {"return"}) &&
               returns(list_, *item.statement);
      })) {
    return;
  }
  const std::vector<bool> needed = needed_by(items);
  for (const Variable& variable : variables_.all()) {
    if (variable.carrier != Carrier::per_thread || variable.stable) continue;
    if (variable.is_reference) continue;
    if (variable.declarator.is_array() && !is_copied_array(variable)) continue;
    const bool declared = std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
      return item.variable == &variable;
    });
    const bool only_declared = std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
      return item.variable == &variable && is_only_declared(item, items);
    });
    if (only_declared) continue;
    if (declared || is_modified_in(variable, items, needed)) {
      const std::string name(variable.name);
      add(out, is_copied_array(variable)
                   ? " simt_carried_" + name + ".write_back(" + storage(variable) + kOwn + ");"
                   : " ::simt::write_back(" + storage(variable) + kOwn + ", " + name + ");");
    }
  }
}

void PhaseWriter::write_declaration(const Variable& variable, Pieces& out) const {
  if (linear_[number(variable)]) {
    add(out, " const");
    return write_linear(variable, std::string(variable.name), out);
  }
  const Declarator& d = variable.declarator;
  add(out, " ");
  add(out, d.type_first, d.type_last);
  add(out, " ");
  add(out, d.pointer_first, d.name);
  // Const where nothing may change it, so that the compiler proves what the split relies on.
  const bool fixed = variable.carrier != Carrier::local && !variable.is_modified();
  add(out, fixed && !variable.is_const && !variable.is_reference ? " const " : " ");
  tokens(d.name, d.init_last, out);
  add(out, ";");
  if (variable.carrier == Carrier::recomputed && lambda_of(list_, variable) == kNone) {
    add(out, " static_assert(::simt::kIsSplitNumber<decltype(" + std::string(variable.name) + ")>" +
                 kConfirmed);
  } else if (variable.carrier == Carrier::local &&
             !is_keyword_type(list_, d.type_first, d.type_last)) {
    add(out, " static_assert(::simt::kEndsWithoutEffect<decltype(" + std::string(variable.name) +
                 ")>" + kConfirmed);
  }
}

/// A per-thread variable comes to be where it is declared, in the place where it stays.
/// Where nothing uses it before the next phase, it has no name in this one.
void PhaseWriter::write_initial(const Variable& variable, bool is_used, Pieces& out) const {
  const Declarator& d = variable.declarator;
  const std::string name(variable.name), type = type_alias(variable);
  if (variable.is_reference) {
    add(out, " [[maybe_unused]] ");
    add(out, d.type_first, d.type_last);
    add(out, " ");
    add(out, d.pointer_first, d.name);
    add(out, " ");
    tokens(d.name, d.init_last, out);
    add(out, "; static_assert(::simt::kIsPlaceOf<decltype(" + name + "), decltype((");
    tokens(d.init_first + 1, d.init_last, out);
    add(out, std::string("))>") + kConfirmed + " " + storage(variable) + kOwn +
                 " = __builtin_addressof(" + name + ");");
    return;
  }
  const bool number = is_keyword_type(list_, d.type_first, d.type_last);
  if (!variable.is_parameter && number && !d.is_array() && !variable.stable) {
    add(out, std::string(" [[maybe_unused]] ") + (variable.is_const ? "const " : "") + type + " " +
                 name + " ");
    tokens(d.init_first, d.init_last, out);
    add(out, ";");
    return;
  }
  add(out, " ::new (static_cast<void*>(&" + storage(variable) + kOwn + ")) " + type);
  if (variable.is_parameter) {
    add(out, "(simt_given_" + name + (context_.is_function ? kOwn : "") + ")");
  } else if (d.has_init() && list_.is(d.init_first, "=") && !d.is_array()) {
    add(out, "([&]() __attribute__((always_inline)) -> " + type + " { return ");
    tokens(d.init_first + 1, d.init_last, out);
    add(out, "; }())");
  } else if (d.has_init()) {
    tokens(list_.is(d.init_first, "=") ? d.init_first + 1 : d.init_first, d.init_last, out);
  }
  add(out, ";");
  if (is_used) write_slot(variable, false, out);
}

}  // namespace simt::rewrite::split
