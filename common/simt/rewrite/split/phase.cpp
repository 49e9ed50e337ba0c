#include "phase.hpp"

#include <algorithm>
#include <string>

#include "phase_text.hpp"

namespace simt::rewrite::split {
namespace {

std::string type_alias(const Variable& variable) {
  return "simt_type_" + std::string(variable.name);
}

std::string storage(const Variable& variable) { return "simt_all_" + std::string(variable.name); }

}  // namespace

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
      prefix = prefix && item.variable->pure;
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

void PhaseWriter::write(const std::vector<PhaseItem>& items, Pieces& out) const {
  if (items.empty()) return;
  if (!loops_.empty()) return write_in_loops(items, out);
  add(out, kRows);
  const Guards guards = masked_ ? Guards{} : find_guards(items);
  if (masked_) {
    add(out, " ::simt::for_masked_lanes(simt_nx, simt_inside + " + std::string(kRow) + ", ");
    thread_body(items, nullptr, false, out);
  } else if (context_.needs_thread_state || has_long_loop(items)) {
    add(out, " ::simt::for_each_lane(simt_nx, ");
    thread_body(items, nullptr, false, out);
  } else if (guards.empty()) {
    add(out, " ::simt::for_lanes(simt_nx, ");
    thread_body(items, nullptr, false, out);
  } else {
    add(out, " ::simt::for_guarded_lanes(simt_nx, ");
    guard_body(items, guards, out);
    add(out, ", ");
    thread_body(items, &guards, false, out);
    add(out, ", ");
    thread_body(items, nullptr, false, out);
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
  prologue(needed, out);
  add(out, " bool simt_passes = true;");
  for (const Guard& guard : guards) {
    add(out,
        guard.negated ? " simt_passes = simt_passes && !(" : " simt_passes = simt_passes && (");
    add(out, guard.first, guard.last);
    add(out, ");");
  }
  // What only the guards keep apart from an endless loop must not be begun.
  add(out, " " + std::string(kInside) +
               " = simt_passes; });"
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
    add(out, is_return_guard(items[i]) ? " simt_inside &= !(" : " simt_inside &= !!(");
    add(out, s.open + 1, s.close);
    add(out, ");");
  }
  add(out, " return simt_inside; }");
}

/// A lambda that does a thread's part of the phase; `skip` are guards known to be passed.
/// With `conditions`, first asks those of the strided loops around it.
void PhaseWriter::thread_body(const std::vector<PhaseItem>& items, const Guards* skip,
                              bool conditions, Pieces& out) const {
  open_thread(out);
  if (conditions && masked_) add(out, " if (!" + std::string(kInside) + ") return;");
  prologue(items, out);
  for (const StridedLoop& loop : loops_) {
    if (!conditions) break;
    add(out, " if (!(");
    add(out, loop.header.condition_first, loop.header.condition_last);
    add(out, ")) return;");
  }
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

void PhaseWriter::prologue(const std::vector<PhaseItem>& items, Pieces& out) const {
  std::vector<bool> needed(variables_.all().size(), false);
  for (const PhaseItem& item : items) {
    if (item.statement != nullptr) {
      need(item.statement->first, item.statement->last, needed);
    } else {
      const Declarator& d = item.variable->declarator;
      need(d.type_first, d.init_last, needed);
    }
  }
  for (const StridedLoop& loop : loops_) {
    need(loop.header.condition_first, loop.header.condition_last, needed);
  }
  prologue(needed, out);
}

void PhaseWriter::prologue(const std::vector<bool>& needed, Pieces& out) const {
  for (const Variable& variable : variables_.all()) {
    if (!needed[number(variable)]) continue;
    if (variable.carrier == Carrier::recomputed) {
      add(out, " [[maybe_unused]]");
      write_declaration(variable, out);
    } else if (variable.carrier == Carrier::strided) {
      write_strided(variable, out);
    } else {
      const std::string name(variable.name);
      // A scalar is copied, so that it can be in a register; see epilogue.
      const char* const reference = variable.declarator.is_array() ? "& " : " ";
      add(out, " [[maybe_unused]] " + type_alias(variable) + reference +
                   std::string(variable.name) + " = " + storage(variable) + "[" + kRow +
                   " + simt_x];");
    }
  }
}

/// Writes scalars back that the phase modified. A phase that returns is the last one: nobody reads
/// them any more.
void PhaseWriter::epilogue(const std::vector<PhaseItem>& items, Pieces& out) const {
  const auto holds = [](const PhaseItem& item, Index i) {
    return item.statement != nullptr && item.statement->first <= i && i < item.statement->last;
  };
  for (const PhaseItem& item : items) {
    if (item.statement != nullptr && contains(*item.statement, {"return"})) return;
  }
  for (const Variable& variable : variables_.all()) {
    if (variable.carrier != Carrier::per_thread || variable.declarator.is_array()) continue;
    const bool modified = std::any_of(items.begin(), items.end(), [&](const PhaseItem& item) {
      return item.variable == &variable ||
             std::any_of(variable.modifications.begin(), variable.modifications.end(),
                         [&](Index i) { return holds(item, i); });
    });
    if (modified) {
      add(out, " " + storage(variable) + "[" + kRow + " + simt_x] = " + std::string(variable.name) +
                   ";");
    }
  }
}

void PhaseWriter::write_item(const PhaseItem& item, Pieces& out) const {
  if (item.statement != nullptr) {
    add(out, " ");
    add(out, item.statement->first, item.statement->last);
  } else if (item.variable->carrier == Carrier::per_thread) {
    write_assignment(*item.variable, out);
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
  const bool fixed = variable.carrier != Carrier::local && variable.modifications.empty() &&
                     !(d.pointer_first < d.name && list_.is(d.name - 1, "const"));
  add(out, fixed && !variable.type_has(list_, "const") ? " const " : " ");
  add(out, d.name, d.init_last);
  add(out, ";");
}

/// A per-thread variable is initialised where it was declared.
void PhaseWriter::write_assignment(const Variable& variable, Pieces& out) const {
  const Declarator& d = variable.declarator;
  const std::string name(variable.name);
  if (variable.is_parameter) {
    add(out, " " + name + " = simt_given_" + name + ";");
  } else if (d.is_array()) {
    if (!d.has_init()) return;
    add(out, " { " + type_alias(variable) + " simt_initial ");
    add(out, d.init_first, d.init_last);
    add(out, "; ::simt::copy_array(" + name + ", simt_initial); }");
  } else if (d.has_init()) {
    const bool braces = list_.is(d.init_first, "{") || list_.is(d.init_first, "(");
    add(out, " " + name + (braces ? " = " + type_alias(variable) : " "));
    add(out, d.init_first, d.init_last);
    add(out, ";");
  }
}

}  // namespace simt::rewrite::split
