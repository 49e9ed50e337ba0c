#include "split/phase.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "split/phase_text.hpp"

namespace simt::rewrite::split {

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
  const Statement* then = lone_branch(s);
  return then != nullptr && then->kind == StatementKind::return_statement &&
         variables_.is_pure(s.open + 1, s.close);
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

std::string PhaseWriter::mask() const {
  if (!masks_.empty()) return masks_.back();
  return masked_ ? "simt_inside" : "";
}

void PhaseWriter::tokens(Index first, Index last, Pieces& out) const {
  while (first < last) {
    const Replaced* next = nullptr;
    for (const Replaced& one : replaced_) {
      if (one.first < first || one.last > last) continue;
      const bool before = next == nullptr || one.first < next->first ||
                          (one.first == next->first && one.last > next->last);
      if (before) next = &one;
    }
    if (next == nullptr) break;
    add(out, first, next->first);
    add(out, " " + next->text);
    first = next->last;
  }
  add(out, first, last);
}

void PhaseWriter::write_argument(const std::string& name, Index first, Index last, bool place,
                                 int slot, Pieces& out) const {
  Statement argument;
  argument.first = first;
  argument.last = last;
  const std::vector<PhaseItem> items = {{&argument}};
  const std::vector<bool> needed = needed_by(items);
  Pieces body;
  prologue(needed, items, body, place);
  add(body, place ? " return ::simt::place_of(" : " return (");
  tokens(first, last, body);
  add(body, "); }");
  const bool each = asks_thread(body);
  add(out, " const auto " + name +
               "_of = [&](const ::std::ptrdiff_t simt_z, const ::std::ptrdiff_t simt_y,"
               " const ::std::ptrdiff_t simt_first, const ::std::ptrdiff_t simt_lane)"
               " __attribute__((always_inline)) {");
  enter_thread(std::move(body), out);
  add(out, "; using " + name + "_type = ::std::decay_t<decltype(" + name +
               "_of(0, 0, 0, 0))>; static_assert(::std::is_trivially_destructible_v<" + name +
               "_type>" + kConfirmed + " " + name + "_type* const " + name +
               " = simt_block.per_thread<" + name + "_type>(" + std::to_string(slot) + ");" +
               kRows);
  const std::string flags = mask();
  add(out, std::string(" ::simt::for_") + (each ? "each_" : "") + (flags.empty() ? "" : "masked_") +
               (each ? "lane" : "lanes") + "(simt_nx, " +
               (flags.empty() ? "" : flags + " + " + kRow + ", ") +
               "[&](const ::std::ptrdiff_t simt_first, const ::std::ptrdiff_t simt_lane)"
               " __attribute__((always_inline)) { ::new (static_cast<void*>(&" +
               name + "[" + kRow + " + simt_first + simt_lane])) " + name + "_type(" + name +
               "_of(simt_z, simt_y, simt_first, simt_lane)); }");
  if (!each) write_counts({}, needed, out);
  add(out, ");");
}

bool PhaseWriter::is_stored(Index first, Index last) const {
  std::vector<bool> needed(variables_.all().size(), false);
  need(first, last, needed);
  for (const Variable& variable : variables_.all()) {
    if (needed[number(variable)] && variable.carrier != Carrier::per_thread) return false;
  }
  const std::function<bool(const Node&)> known = [&](const Node& n) {
    const bool of_form = n.kind == NodeKind::literal || n.kind == NodeKind::name ||
                         n.kind == NodeKind::subscript || n.kind == NodeKind::member ||
                         n.kind == NodeKind::paren || n.kind == NodeKind::binary;
    return of_form && std::all_of(n.children.begin(), n.children.end(), known);
  };
  const auto node =
      parse_expression(list_, first, last, [&](Index i) { return variables_.kind_of_name(i); });
  return node && known(*node);
}

const Variable* PhaseWriter::variable_around(Index first, Index last) const {
  const Variable* found = nullptr;
  for (Index i = first; i < last; ++i) {
    if (!list_.is_identifier(i)) continue;
    const Variable* variable = variables_.find(i);
    if (variable == nullptr) return nullptr;
    if (variable->carrier == Carrier::uniform) continue;
    const bool own = variable->carrier == Carrier::per_thread && !variable->is_parameter &&
                     !variable->is_reference;
    if (found != nullptr || !own) return nullptr;
    found = variable;
  }
  return found;
}

void PhaseWriter::write_places(const std::string& name, Index first, Index last,
                               Pieces& out) const {
  // Where the call got the addresses of the block's own variables, the compiler would have to
  // take them for something that every store may change.
  const Variable* around = variable_around(first, last);
  add(out, " const auto " + name + "_of = [" + (around == nullptr ? "&" : "=") +
               "](const ::std::ptrdiff_t simt_x) __attribute__((always_inline)) {"
               " constexpr ::std::ptrdiff_t simt_z = 0, simt_y = 0;");
  std::vector<bool> needed(variables_.all().size(), false);
  need(first, last, needed);
  prologue(needed, {}, out, true);
  add(out, " return ::simt::place_of(");
  tokens(first, last, out);
  const std::string kind = around == nullptr ? "EachPlace<decltype(" + name + "_of)"
                                             : "EvenPlaces<decltype(" + name + "_of), simt_type_" +
                                                   std::string(around->name);
  add(out, "); }; const ::simt::" + kind + "> " + name + "{" + name + "_of}; using " + name +
               "_type = ::std::decay_t<decltype(" + name + "[0])>;");
}

/// A function's value, for one thread.
void PhaseWriter::write_return(const Statement& s, Pieces& out) const {
  if (s.last == s.first + 2) return;
  add(out, " ::new (static_cast<void*>(&simt_results" + std::string(kOwn) +
               ")) simt_returned([&]() __attribute__((always_inline)) -> simt_returned { return ");
  tokens(s.first + 1, s.last - 1, out);
  add(out, "; }());");
}

void PhaseWriter::write(const std::vector<PhaseItem>& items, Pieces& out) const {
  if (!does_anything(items)) return;
  add(out, kRows);
  const std::string flags = mask();
  const bool carried = uses_carried_array(items);
  const bool scatters = has_scatter(items);
  Pieces body;
  thread_body(items, nullptr, body);
  const bool one_by_one = asks_thread(body) || has_long_loop(items) || carried || scatters;
  const Guards guards = flags.empty() ? find_guards(items) : Guards{};
  if (!flags.empty()) {
    const bool each =
        one_by_one && (!masks_.empty() || context_.is_function || carried || scatters);
    add(out,
        each ? " ::simt::for_each_masked_lane(simt_nx, " : " ::simt::for_masked_lanes(simt_nx, ");
    add(out, flags + " + " + kRow + ", ");
    write_thread(std::move(body), out);
    if (!each) write_counts(items, needed_by(items), out);
  } else if (one_by_one) {
    add(out, " ::simt::for_each_lane(simt_nx, ");
    write_thread(std::move(body), out);
  } else if (guards.empty()) {
    add(out, " ::simt::for_lanes(simt_nx, ");
    write_thread(std::move(body), out);
    write_counts(items, needed_by(items), out);
  } else {
    add(out, " ::simt::for_guarded_lanes(simt_nx, ");
    Pieces passes, guarded;
    guard_body(items, guards, passes);
    thread_body(items, &guards, guarded);
    write_thread(std::move(passes), out);
    add(out, ", ");
    write_thread(std::move(guarded), out);
    add(out, ", ");
    write_thread(std::move(body), out);
    write_counts(items, needed_by(items), out);
  }
  add(out, ");");
}

void PhaseWriter::write_guards(const std::vector<Guard>& guards, Pieces& out) {
  masked_ = true;
  add(out, " bool* const simt_inside = simt_block.per_thread<bool>(" +
               std::to_string(variables_.all().size()) + ");" + kRows +
               " ::simt::for_lanes(simt_nx, ");
  // What stands before them is computed for them alone: no phase has come to its declarations.
  std::vector<bool> needed(variables_.all().size(), false);
  const std::function<void(Index, Index)> mention = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Variable* variable = variables_.find(i);
      if (variable == nullptr || needed[number(*variable)]) continue;
      if (variable->carrier == Carrier::uniform) continue;
      needed[number(*variable)] = true;
      mention(variable->declarator.init_first, variable->declarator.init_last);
    }
  };
  for (const Guard& guard : guards) mention(guard.first, guard.last);
  Pieces body;
  for (const Variable& variable : variables_.all()) {
    if (!needed[number(variable)]) continue;
    add(body, " [[maybe_unused]]");
    write_declaration(variable, body);
  }
  add(body, " bool simt_passes = true;");
  for (const Guard& guard : guards) {
    add(body,
        guard.negated ? " simt_passes = simt_passes && !(" : " simt_passes = simt_passes && (");
    add(body, guard.first, guard.last);
    add(body, ");");
  }
  // What only the guards keep apart from an endless loop must not be begun.
  add(body, " simt_inside" + std::string(kOwn) + " = simt_passes; }");
  write_thread(std::move(body), out);
  write_counts({}, needed, out);
  add(out,
      ");"
      " if (!::simt::any_inside(simt_inside, simt_nx * simt_ny * simt_nz)) return;");
}

/// Is it one `if (...) to[i] = x;` where each thread has a pointer of its own? Of such threads only
/// some write, and not to neighbours: a vector's scatter takes its time for all the others, too.
bool PhaseWriter::has_scatter(const std::vector<PhaseItem>& items) const {
  const Statement* only = nullptr;
  for (const PhaseItem& item : items) {
    if (item.statement == nullptr) continue;
    if (only != nullptr) return false;
    only = item.statement;
  }
  const Statement* then = only == nullptr ? nullptr : lone_branch(*only);
  if (then == nullptr || !list_.is(then->first + 1, "[")) return false;
  const Variable* to = variables_.find(then->first);
  const Index close = list_.match[then->first + 1];
  if (to == nullptr || to->carrier != Carrier::per_thread || to->declarator.is_array())
    return false;
  if (close == kNone || !list_.is(close + 1, "=")) return false;
  for (Index i = then->first + 2; i < close; ++i) {
    const Variable* index = variables_.find(i);
    if (list_.is(i, "threadIdx") || (index != nullptr && index->carrier != Carrier::uniform)) {
      return false;
    }
  }
  return true;
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

/// Tells whether a thread passes all guards.
void PhaseWriter::guard_body(const std::vector<PhaseItem>& items, const Guards& guards,
                             Pieces& out) const {
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

/// Does a thread's part of the phase; `skip` are guards known to be passed.
void PhaseWriter::thread_body(const std::vector<PhaseItem>& items, const Guards* skip,
                              Pieces& out) const {
  prologue(items, out);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool guard = skip != nullptr &&
                       std::find(skip->items.begin(), skip->items.end(), i) != skip->items.end();
    if (!guard && is_only_declared(items[i], items)) {
      write_initial(*items[i].variable, false, out);
    } else if (!guard) {
      write_item(items[i], out);
    } else if (!is_return_guard(items[i])) {
      const Statement& then = items[i].statement->children[0];
      add(out, " ");
      tokens(then.first, then.last, out);
    }
  }
  epilogue(items, out);
  add(out, " }");
}

/// Does something that the body mentions, or that runs unnamed, ask which thread runs it?
bool PhaseWriter::asks_thread(const Pieces& body) const {
  if (!context_.needs_thread_state) return false;
  return context_.needs_state_in(context_.body_open, context_.body_open) ||
         std::any_of(body.begin(), body.end(), [&](const Piece& piece) {
           return piece.first < piece.last && context_.needs_state_in(piece.first, piece.last);
         });
}

void PhaseWriter::write_thread(Pieces body, Pieces& out) const {
  add(out,
      "[&](const ::std::ptrdiff_t simt_first, const ::std::ptrdiff_t simt_lane)"
      " __attribute__((always_inline)) {");
  enter_thread(std::move(body), out);
}

void PhaseWriter::enter_thread(Pieces body, Pieces& out) const {
  add(out,
      " [[maybe_unused]] const ::std::ptrdiff_t simt_x = simt_first + simt_lane;"
      " [[maybe_unused]] const ::uint3 threadIdx{static_cast<unsigned>(simt_x),"
      " static_cast<unsigned>(simt_y), static_cast<unsigned>(simt_z)};");
  if (asks_thread(body)) add(out, " simt_block.enter(threadIdx);");
  std::move(body.begin(), body.end(), std::back_inserter(out));
}

void PhaseWriter::write_item(const PhaseItem& item, Pieces& out) const {
  if (item.statement != nullptr && item.statement->kind == StatementKind::return_statement &&
      context_.is_function) {
    write_return(*item.statement, out);
  } else if (item.statement != nullptr) {
    add(out, " ");
    tokens(item.statement->first, item.statement->last, out);
  } else if (item.variable->carrier == Carrier::per_thread) {
    write_initial(*item.variable, true, out);
  } else {
    add(out, " [[maybe_unused]]");
    write_declaration(*item.variable, out);
  }
}

}  // namespace simt::rewrite::split
