#include "checks.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "../analysis.hpp"
#include "words.hpp"

namespace simt::rewrite::split {

void require(bool condition, Index at, const char* why) {
  if (!condition) throw NotSplittable{at, why};
}

void Checks::run() {
  check_guards();
  check_tokens();
  check_names();
  number_phases(body_.children);
  last_phase_ = phase_;
  check_jumps(body_, true);
}

/// Guards are evaluated first of all: nothing may stand before them that does anything.
void Checks::check_guards() const {
  if (guards_.empty()) return;
  const Index last_guard = guards_.back().first;
  require(!context_.needs_thread_state, last_guard, "a function that asks which thread runs it");
  for (const Guard& guard : guards_) {
    require(variables_.is_pure(guard.first, guard.last), guard.first,
            "a condition that reads memory or has effects");
  }
  for (const Statement& s : body_.children) {
    if (s.first > last_guard) break;
    for (const Variable& variable : variables_.all()) {
      const Index name = variable.declarator.name;
      if (variable.is_parameter || name < s.first || name >= s.last) continue;
      require(variable.pure || variable.carrier == Carrier::uniform, name,
              "a variable before a condition whose value cannot be computed again");
    }
  }
}

/// Is a statement's barrier at i, not one of a lambda or a class?
bool Checks::is_barrier(const Statement& statement, Index i) {
  if (statement.kind == StatementKind::barrier) return statement.first == i;
  return std::any_of(statement.children.begin(), statement.children.end(),
                     [&](const Statement& child) { return is_barrier(child, i); });
}

void Checks::check_tokens() const {
  Index segment = body_.first + 1;
  for (Index i = segment; i + 1 < body_.last; ++i) {
    if (!list_.is_identifier(i)) continue;
    const std::string_view word = list_.view(i);
    require(!any_of(word, {"goto", "try", "asm", "__asm__"}), i, "a statement of this kind");
    require(word != "static" || list_.is(i + 1, "constexpr"), i, "a static variable");
    if (any_of(word, {"decltype", "typeof", "__typeof__"}) && list_.is(i + 1, "(")) {
      // Phases have references in place of some variables, and const ones in place of others.
      for (Index k = i + 1; k < list_.match[i + 1]; ++k) {
        require(variables_.find(k) == nullptr, i, "the type of a variable");
      }
    }
    if (word != "__syncthreads") continue;
    require(is_barrier(body_, i), i, "a barrier that is no statement of the kernel's own");
    require(segment == i || !context_.may_block(segment, i), segment,
            "something that may wait for other threads");
    segment = i + 4;
  }
  require(segment >= body_.last - 1 || !context_.may_block(segment, body_.last - 1), segment,
          "something that may wait for other threads");
}

/// A name must mean one thing wherever phases may mention it: what is declared for the block stands
/// before statements that came before it.
void Checks::check_names() const {
  const auto& all = variables_.all();
  for (const Variable& a : all) {
    require(!variables_.is_local_name(a.name), a.declarator.name, "a name that means two things");
    require(!a.name.starts_with("simt_"), a.declarator.name, "a name of the backend's own");
    for (const Variable& b : all) {
      if (&a == &b || a.name != b.name) continue;
      const bool apart = !a.is_parameter && !b.is_parameter &&
                         (a.scope_last <= b.scope_first || b.scope_last <= a.scope_first);
      require(apart, b.declarator.name, "a name that hides another");
    }
  }
  for (const auto& [name, first] : variables_.local_names()) {
    for (Index i = body_.first; i < first; ++i) {
      const bool member = any_of(list_.view(i - 1), {".", "->", "::"});
      require(!list_.is(i, name) || member, i, "a name that is declared further down");
    }
    for (const auto& [other, place] : variables_.local_names()) {
      require(other != name || place == first, place, "a name that hides another");
    }
  }
}

/// What stands between barriers must be a declaration or an expression, and surely which of them.
void Checks::check_statement(const Statement& s) const {
  require(s.kind != StatementKind::other, s.first, "a statement of a form that is not known");
  if (s.kind == StatementKind::declaration) {
    for (const Declarator& d : parse_declarators(list_, s.first, s.last - 1)) {
      for (Index i = d.type_first; i < d.type_last; ++i) {
        require(variables_.find(i) == nullptr, i, "what may be an expression or a declaration");
      }
    }
  }
  if (s.kind != StatementKind::expression || s.last <= s.first + 1) return;
  const auto node = parse_expression(list_, s.first, s.last - 1,
                                     [&](Index i) { return variables_.find(i) != nullptr; });
  require(node.has_value(), s.first, "a statement of a form that is not known");
  require(!is_type_keyword(list_.view(s.first)) && !could_declare(*node), s.first,
          "what may be an expression or a declaration");
}

/// `T(x);`, `T (&x)[4] = y;`: does it begin with a call of something unknown for one name?
bool Checks::could_declare(const Node& node) const {
  if (node.kind != NodeKind::call) {
    return !node.children.empty() && could_declare(node.children[0]);
  }
  const Node& callee = node.children[0];
  if (callee.kind != NodeKind::name) return could_declare(callee);
  if (node.children.size() != 2 || variables_.find(callee.token) != nullptr) return false;
  const Node* argument = &node.children[1];
  while (argument->kind == NodeKind::prefix || argument->kind == NodeKind::subscript) {
    argument = &argument->children[0];
  }
  if (argument->kind != NodeKind::name) return false;
  return !context_.declarations->is_function(list_.view(callee.token));
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
      check_statement(s);
      ranges_.push_back({s.first, s.last, phase_});
    }
  }
}

bool Checks::is_block_level(const Statement& s) const {
  return s.kind == StatementKind::expression && variables_.modifies_uniform(s.first, s.last - 1);
}

/// A loop or condition around a barrier must be the same for all threads.
void Checks::check_header(const Statement& s) const {
  static constexpr const char* kMayDiffer = "what may differ between threads around a barrier";
  switch (s.kind) {
    case StatementKind::block:
      return;
    case StatementKind::if_statement:
    case StatementKind::while_statement:
      require(variables_.is_uniform_step(s.open + 1, s.close) &&
                  parse_declarators(list_, s.open + 1, s.close).empty(),
              s.open + 1, kMayDiffer);
      return;
    case StatementKind::for_statement: {
      const ForHeader header = for_header(list_, s);
      require(header.first_semicolon != kNone, s.first, kMayDiffer);
      const Index condition = header.first_semicolon + 1;
      require(condition == header.second_semicolon ||
                  variables_.is_uniform_step(condition, header.second_semicolon),
              condition, kMayDiffer);
      require(variables_.is_uniform_step(header.second_semicolon + 1, s.close), s.open, kMayDiffer);
      for (const Variable& variable : variables_.all()) {
        const Index name = variable.declarator.name;
        if (s.open < name && name < s.close) {
          require(variable.carrier == Carrier::uniform, name, kMayDiffer);
        }
      }
      require(variables_.is_uniform_step(s.open + 1, header.first_semicolon), s.open, kMayDiffer);
      return;
    }
    default:
      throw NotSplittable{s.first, "a barrier in a statement of this kind"};
  }
}

/// The limit and the step of a strided loop must be the same for all threads.
void Checks::check_strided(const Statement& s) const {
  static constexpr const char* kIrregular = "a loop whose steps are not known";
  const StridedHeader header = strided_header(list_, s);
  require(variables_.is_uniform(header.condition_first + 2, header.condition_last), s.open,
          kIrregular);
  require(variables_.is_uniform(header.step_first, header.step_last), s.open, kIrregular);
  const Declarator& d = header.variable;
  require(variables_.is_pure(d.init_first + 1, d.init_last), s.open, kIrregular);
  for (const Use& use : strided_variable(s).uses) {
    if (use.kind == UseKind::read) continue;
    require(use.kind == UseKind::write && header.condition_last < use.token && use.token < s.close,
            use.token, kIrregular);
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
    require(!leaves_loop(child), child.first, "a jump out of a loop around a barrier");
    for (Index i = child.first; i < child.last; ++i) {
      if (begins_lambda(list_, i) && lambda_body(list_, i) != kNone) {
        i = list_.match[lambda_body(list_, i)];
        continue;
      }
      if (!list_.is(i, "return")) continue;
      require(phase_of(i) == last_phase_ && !in_barrier_loop(i), i,
              "a thread that ends before others reach a barrier");
    }
  }
}

bool Checks::leaves_loop(const Statement& s) const {
  if (s.kind == StatementKind::jump) return true;
  if (s.kind == StatementKind::for_statement || s.kind == StatementKind::while_statement ||
      s.kind == StatementKind::do_statement) {
    return false;
  }
  if (s.kind == StatementKind::switch_statement) {  // `break` ends it, `continue` a loop
    for (Index i = s.first; i < s.last; ++i) {
      if (list_.is(i, "continue")) return true;
    }
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
