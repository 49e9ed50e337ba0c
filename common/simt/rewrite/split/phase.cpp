#include "phase.hpp"

#include <algorithm>
#include <string>

#include "../analysis.hpp"
#include "phase_text.hpp"

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

bool does_anything(const std::vector<PhaseItem>& items) {
  return std::any_of(items.begin(), items.end(), [](const PhaseItem& item) {
    return item.variable == nullptr || (item.variable->carrier != Carrier::recomputed &&
                                        item.variable->carrier != Carrier::uniform);
  });
}

bool PhaseWriter::contains(const Statement& statement,
                           std::initializer_list<std::string_view> words) const {
  for (Index i = statement.first; i < statement.last; ++i) {
    if (std::find(words.begin(), words.end(), list_.view(i)) != words.end()) return true;
  }
  return false;
}

bool PhaseWriter::is_return_guard(const PhaseItem& item) const {
  if (item.statement == nullptr) return false;
  const Statement& s = *item.statement;
  if (s.kind != StatementKind::if_statement || s.children.size() != 1) return false;
  const Statement* then = &s.children[0];
  if (then->kind == StatementKind::block && then->children.size() == 1) then = &then->children[0];
  return then->kind == StatementKind::return_statement && variables_.is_pure(s.open + 1, s.close);
}

/// Guards are worth hoisting when what they protect has a loop: the compiler vectorises a nest of
/// loops only where nothing is conditional around the inner one.
PhaseWriter::Guards PhaseWriter::find_guards(const std::vector<PhaseItem>& items) const {
  Guards guards;
  bool has_loop = false;
  bool prefix = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const PhaseItem& item = items[i];
    if (item.variable != nullptr) {
      // What stands behind a guard is for those who pass it.
      prefix = prefix && item.variable->pure && guards.empty();
      continue;
    }
    const Statement& s = *item.statement;
    if (prefix && is_return_guard(item)) {
      guards.items.push_back(i);
      continue;
    }
    const bool is_rest = prefix && i + 1 == items.size() && s.kind == StatementKind::if_statement &&
                         s.children.size() == 1 && variables_.is_pure(s.open + 1, s.close);
    if (is_rest) guards.items.push_back(i);
    prefix = false;
    has_loop = has_loop || contains(s, {"for", "while"});
  }
  return has_loop ? guards : Guards{};
}

/// The flags of the threads that what is written now is for; empty for all.
std::string PhaseWriter::mask() const {
  if (!loops_.empty()) return "simt_in_" + std::string(loops_.back().variable->name);
  return masked_ ? "simt_inside" : "";
}

void PhaseWriter::write(const std::vector<PhaseItem>& items, Pieces& out) const {
  if (!does_anything(items)) return;
  add(out, kRows);
  const std::string flags = mask();
  const bool one_by_one = context_.needs_thread_state || has_long_loop(items);
  const Guards guards = flags.empty() ? find_guards(items) : Guards{};
  if (!flags.empty()) {
    add(out, one_by_one && !loops_.empty() ? " ::simt::for_each_masked_lane(simt_nx, "
                                           : " ::simt::for_masked_lanes(simt_nx, ");
    add(out, flags + " + " + kRow + ", ");
    thread_body(items, nullptr, out);
    if (!one_by_one || loops_.empty()) write_counts(items, needed_by(items), out);
  } else if (one_by_one) {
    add(out, " ::simt::for_each_lane(simt_nx, ");
    thread_body(items, nullptr, out);
  } else if (guards.empty()) {
    add(out, " ::simt::for_lanes(simt_nx, ");
    thread_body(items, nullptr, out);
    write_counts(items, needed_by(items), out);
  } else {
    add(out, " ::simt::for_guarded_lanes(simt_nx, ");
    guard_body(items, guards, out);
    add(out, ", ");
    thread_body(items, &guards, out);
    add(out, ", ");
    thread_body(items, nullptr, out);
    write_counts(items, needed_by(items), out);
  }
  add(out, ");");
}

void PhaseWriter::write_guards(const std::vector<Guard>& guards, Pieces& out) {
  masked_ = true;
  add(out, " bool* const simt_inside = simt_block.per_thread<bool>(" +
               std::to_string(variables_.all().size()) + ");" + kRows +
               " ::simt::for_lanes(simt_nx, ");
  std::vector<bool> needed(variables_.all().size(), false);
  for (const Guard& guard : guards) need(guard.first, guard.last, needed);
  open_thread(out);
  prologue(needed, {}, out);
  add(out, " bool simt_passes = true;");
  for (const Guard& guard : guards) {
    add(out,
        guard.negated ? " simt_passes = simt_passes && !(" : " simt_passes = simt_passes && (");
    add(out, guard.first, guard.last);
    add(out, ");");
  }
  // What only the guards keep apart from an endless loop must not be begun.
  add(out, " simt_inside" + std::string(kOwn) + " = simt_passes; }");
  write_counts({}, needed, out);
  add(out,
      ");"
      " if (!::simt::any_inside(simt_inside, simt_nx * simt_ny * simt_nz)) return;");
}

/// Is there a loop whose length is not a constant?
bool PhaseWriter::has_long_loop(const std::vector<PhaseItem>& items) const {
  const auto names_variable = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      if (variables_.find(i) != nullptr || list_.is(i, "blockDim") || list_.is(i, "threadIdx")) {
        return true;
      }
    }
    return false;
  };
  for (const PhaseItem& item : items) {
    if (item.statement == nullptr) continue;
    for (Index i = item.statement->first; i < item.statement->last; ++i) {
      if (list_.is(i, "while")) return true;
      if (!list_.is(i, "for") || !list_.is(i + 1, "(")) continue;
      Statement loop;
      loop.open = i + 1;
      loop.close = list_.match[i + 1];
      const ForHeader header = for_header(list_, loop);
      if (header.first_semicolon == kNone ||
          names_variable(header.first_semicolon + 1, header.second_semicolon)) {
        return true;
      }
    }
  }
  return false;
}

/// A lambda that tells whether a thread passes all guards.
void PhaseWriter::guard_body(const std::vector<PhaseItem>& items, const Guards& guards,
                             Pieces& out) const {
  open_thread(out);
  prologue(items, out);
  add(out, " bool simt_inside = true;");
  for (std::size_t i = 0; i <= guards.items.back(); ++i) {
    if (items[i].variable != nullptr) write_item(items[i], out);
    if (std::find(guards.items.begin(), guards.items.end(), i) == guards.items.end()) continue;
    const Statement& s = *items[i].statement;
    // What stands behind a guard is not evaluated for threads that it ends: arithmetic that
    // overflows there would be undefined for all.
    add(out, is_return_guard(items[i]) ? " simt_inside = simt_inside && !("
                                       : " simt_inside = simt_inside && (");
    add(out, s.open + 1, s.close);
    add(out, ");");
  }
  add(out, " return simt_inside; }");
}

/// A lambda that does a thread's part of the phase; `skip` are guards known to be passed.
void PhaseWriter::thread_body(const std::vector<PhaseItem>& items, const Guards* skip,
                              Pieces& out) const {
  open_thread(out);
  prologue(items, out);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool guard = skip != nullptr &&
                       std::find(skip->items.begin(), skip->items.end(), i) != skip->items.end();
    if (!guard) {
      write_item(items[i], out);
    } else if (!is_return_guard(items[i])) {
      const Statement& then = items[i].statement->children[0];
      add(out, " ");
      add(out, then.first, then.last);
    }
  }
  epilogue(items, out);
  add(out, " }");
}

void PhaseWriter::open_thread(Pieces& out) const {
  add(out,
      "[&](const ::std::ptrdiff_t simt_first, const ::std::ptrdiff_t simt_lane)"
      " __attribute__((always_inline)) { const ::std::ptrdiff_t simt_x = simt_first + simt_lane;"
      " [[maybe_unused]] const ::uint3 threadIdx{static_cast<unsigned>(simt_x),"
      " static_cast<unsigned>(simt_y), static_cast<unsigned>(simt_z)};");
  if (context_.needs_thread_state) add(out, " simt_block.enter(threadIdx);");
}

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

/// Declares what is needed from before; what `items` declare themselves comes in its place.
void PhaseWriter::prologue(const std::vector<bool>& needed, const std::vector<PhaseItem>& items,
                           Pieces& out) const {
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
      write_slot(variable, out);
    }
  }
}

/// A variable that has an element for each thread, by name. What is a number or a vector is copied,
/// so that it can be in a register, unless its address may be kept; see epilogue.
void PhaseWriter::write_slot(const Variable& variable, Pieces& out) const {
  const std::string type = std::string(variable.is_const ? "const " : "") + type_alias(variable);
  const bool by_reference = variable.declarator.is_array() || variable.stable;
  add(out, " [[maybe_unused]] " + (by_reference ? type + "&" : "::simt::carried_t<" + type + ">") +
               " " + std::string(variable.name) + " = " + storage(variable) + kOwn + ";");
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

/// Writes back what was copied and modified. A phase that returns is the last one: nobody reads
/// them any more.
void PhaseWriter::epilogue(const std::vector<PhaseItem>& items, Pieces& out) const {
  if (std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
        return item.statement != nullptr && contains(*item.statement, {"return"}) &&
               returns(list_, *item.statement);
      })) {
    return;
  }
  const std::vector<bool> needed = needed_by(items);
  for (const Variable& variable : variables_.all()) {
    if (variable.carrier != Carrier::per_thread || variable.declarator.is_array()) continue;
    if (variable.stable) continue;
    const bool declared = std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
      return item.variable == &variable;
    });
    if (declared || is_modified_in(variable, items, needed)) {
      add(out, " ::simt::write_back(" + storage(variable) + kOwn + ", " +
                   std::string(variable.name) + ");");
    }
  }
}

void PhaseWriter::write_item(const PhaseItem& item, Pieces& out) const {
  if (item.statement != nullptr) {
    add(out, " ");
    add(out, item.statement->first, item.statement->last);
  } else if (item.variable->carrier == Carrier::per_thread) {
    write_initial(*item.variable, out);
  } else {
    add(out, " [[maybe_unused]]");
    write_declaration(*item.variable, out);
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
  add(out, d.name, d.init_last);
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
void PhaseWriter::write_initial(const Variable& variable, Pieces& out) const {
  const Declarator& d = variable.declarator;
  const std::string name(variable.name), type = type_alias(variable);
  const bool number = is_keyword_type(list_, d.type_first, d.type_last);
  if (!variable.is_parameter && number && !d.is_array() && !variable.stable) {
    add(out, std::string(" [[maybe_unused]] ") + (variable.is_const ? "const " : "") + type + " " +
                 name + " ");
    add(out, d.init_first, d.init_last);
    add(out, ";");
    return;
  }
  add(out, " ::new (static_cast<void*>(&" + storage(variable) + kOwn + ")) " + type);
  if (variable.is_parameter) {
    add(out, "(simt_given_" + name + ")");
  } else if (d.has_init() && list_.is(d.init_first, "=") && !d.is_array()) {
    add(out, "([&]() __attribute__((always_inline)) -> " + type + " { return ");
    add(out, d.init_first + 1, d.init_last);
    add(out, "; }())");
  } else if (d.has_init()) {
    add(out, list_.is(d.init_first, "=") ? d.init_first + 1 : d.init_first, d.init_last);
  }
  add(out, ";");
  write_slot(variable, out);
}

}  // namespace simt::rewrite::split
