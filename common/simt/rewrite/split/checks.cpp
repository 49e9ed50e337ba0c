#include "checks.hpp"

#include <algorithm>

namespace simt::rewrite::split {

void require(bool condition) {
  if (!condition) throw NotSplittable{};
}

void Checks::run() {
  check_guards();
  check_tokens();
  number_phases(body_.children);
  last_phase_ = phase_;
  check_jumps(body_, true);
}

/// Guards are evaluated first of all: nothing may stand before them that does anything.
void Checks::check_guards() const {
  if (guards_.empty()) return;
  require(!context_.needs_thread_state);
  for (const Guard& guard : guards_) require(variables_.is_pure(guard.first, guard.last));
  const Index last_guard = guards_.back().first;
  for (const Statement& s : body_.children) {
    if (s.first > last_guard) break;
    for (const Variable& variable : variables_.all()) {
      const Index name = variable.declarator.name;
      if (s.first <= name && name < s.last) {
        require(variable.pure || variable.carrier == Carrier::uniform);
      }
    }
  }
}

void Checks::check_tokens() const {
  Index segment = body_.first + 1;
  for (Index i = segment; i + 1 < body_.last; ++i) {
    if (!list_.is_identifier(i)) continue;
    const std::string_view word = list_.view(i);
    require(word != "goto" && word != "try" && word != "asm" && word != "__asm__");
    require(word != "static" || list_.is(i + 1, "constexpr"));
    if (word != "__syncthreads") continue;
    // Only as a statement of its own.
    require(list_.is(i + 1, "(") && list_.is(i + 2, ")") && list_.is(i + 3, ";"));
    require(segment == i || !context_.may_block(segment, i));
    segment = i + 4;
  }
  require(segment >= body_.last - 1 || !context_.may_block(segment, body_.last - 1));
}

/// Gives every barrier-level statement the number of the phase it belongs to.
void Checks::number_phases(const std::vector<Statement>& statements) {
  for (const Statement& s : statements) {
    if (s.has_barrier && s.kind != StatementKind::barrier) {
      ++phase_;
      if (s.strided) {
        check_strided(s);
      } else {
        check_header(s);
      }
      for (const Statement& child : s.children) {
        number_phases(child.kind == StatementKind::block ? child.children
                                                         : std::vector<Statement>{child});
        ++phase_;
      }
      ++phase_;
    } else if (s.kind == StatementKind::barrier || is_block_level(s)) {
      ++phase_;
    } else {
      ranges_.push_back({s.first, s.last, phase_});
    }
  }
}

bool Checks::is_block_level(const Statement& s) const {
  return s.kind == StatementKind::expression && variables_.modifies_uniform(s.first, s.last - 1);
}

/// A loop or condition around a barrier must be the same for all threads.
void Checks::check_header(const Statement& s) const {
  switch (s.kind) {
    case StatementKind::block:
      return;
    case StatementKind::if_statement:
    case StatementKind::while_statement:
      require(variables_.is_uniform(s.open + 1, s.close));
      return;
    case StatementKind::for_statement: {
      const ForHeader header = for_header(list_, s);
      require(header.first_semicolon != kNone);
      require(variables_.is_uniform(header.first_semicolon + 1, header.second_semicolon));
      require(variables_.is_uniform(header.second_semicolon + 1, s.close));
      for (const Variable& variable : variables_.all()) {
        const Index name = variable.declarator.name;
        if (s.open < name && name < s.close) require(variable.carrier == Carrier::uniform);
      }
      if (parse_declarators(list_, s.open + 1, header.first_semicolon).empty()) {
        require(variables_.is_uniform(s.open + 1, header.first_semicolon));
      }
      return;
    }
    default:
      throw NotSplittable{};
  }
}

/// The limit and the step of a strided loop must be the same for all threads.
void Checks::check_strided(const Statement& s) const {
  const StridedHeader header = strided_header(list_, s);
  const auto same = [&](Index first, Index last) {
    return variables_.is_uniform(first, last) && variables_.is_pure(first, last);
  };
  require(same(header.condition_first + 2, header.condition_last));
  require(same(header.step_first, header.step_last));
  const Declarator& d = header.variable;
  require(variables_.is_pure(d.init_first, d.init_last));
  for (const Index i : strided_variable(s).modifications) {
    require(header.condition_last < i && i < s.close);
  }
}

const Variable& Checks::strided_variable(const Statement& s) const {
  const auto& all = variables_.all();
  return *std::find_if(all.begin(), all.end(), [&](const Variable& variable) {
    return variable.carrier == Carrier::strided && s.open < variable.declarator.name &&
           variable.declarator.name < s.close;
  });
}

/// `return` only in the last phase; `break` and `continue` never out of a phase.
void Checks::check_jumps(const Statement& s, bool barrier_level) const {
  if (!barrier_level) return;
  for (const Statement& child : s.children) {
    if (child.has_barrier) {
      check_jumps(child, true);
      continue;
    }
    require(child.kind != StatementKind::other);
    require(!leaves_loop(child));
    for (Index i = child.first; i < child.last; ++i) {
      if (list_.is(i, "return")) require(phase_of(i) == last_phase_ && !in_barrier_loop(i));
    }
  }
}

bool Checks::leaves_loop(const Statement& s) const {
  if (s.kind == StatementKind::jump) return true;
  if (s.kind == StatementKind::for_statement || s.kind == StatementKind::while_statement ||
      s.kind == StatementKind::do_statement || s.kind == StatementKind::switch_statement) {
    return false;
  }
  return std::any_of(s.children.begin(), s.children.end(),
                     [&](const Statement& child) { return leaves_loop(child); });
}

bool Checks::in_barrier_loop(Index i) const { return in_barrier_loop(body_, i); }
bool Checks::in_barrier_loop(const Statement& s, Index i) const {
  for (const Statement& child : s.children) {
    if (i < child.first || i >= child.last || !child.has_barrier) continue;
    return child.kind != StatementKind::block || in_barrier_loop(child, i);
  }
  return false;
}

int Checks::phase_of(Index i) const {
  for (const auto& range : ranges_) {
    if (range.first <= i && i < range.last) return range.phase;
  }
  return -1;
}

}  // namespace simt::rewrite::split
