#include "split/checks.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "frontend/analysis.hpp"
#include "split/warp_uniform.hpp"
#include "split/words.hpp"

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
  check_jumps(body_, false);
  require(variables_.kept_builtin() == kNone || last_phase_ == 0, variables_.kept_builtin(),
          "a built-in variable whose address may be kept");
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
    require(!is_whole_builtin(i), i, "a built-in variable whose address may be kept");
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

/// Is a built-in variable mentioned as a whole, and not only copied? A phase has its own, which
/// ends with it.
bool Checks::is_whole_builtin(Index i) const {
  if (!is_builtin_variable(list_.view(i)) || list_.is(i + 1, ".") || list_.is(i - 1, ".") ||
      list_.is(i - 1, "->")) {
    return false;
  }
  if (!list_.is(i - 1, "=") || !list_.is(i + 1, ";")) return true;
  for (Index k = i - 1; k > body_.first && !any_of(list_.view(k), {";", "{", "}"}); --k) {
    if (any_of(list_.view(k), {"&", "&&"})) return true;
  }
  return false;
}

/// A name must mean one thing wherever phases may mention it: what is declared for the block stands
/// before statements that came before it.
void Checks::check_names() const {
  const auto& all = variables_.all();
  for (const Variable& a : all) {
    require(!variables_.is_local_name(a.spelled), a.declarator.name,
            "a name that means two things");
    require(a.spelled.find("simt_") == std::string_view::npos, a.declarator.name,
            "a name of the backend's own");
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
                                     [&](Index i) { return variables_.kind_of_name(i); });
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
    if (s.collective) {
      for (const CollectiveCall& call : calls(s)) {
        check_uniform_arguments(call);
        check_own_addresses(call);
        ++phase_;
        for (const auto& [first, last] : call.arguments) ranges_.push_back({first, last, phase_});
        ++phase_;
      }
      check_statement(s);
      ranges_.push_back({s.first, s.last, phase_});
    } else if (s.leaves) {
      check_masked(s);
      ++phase_;
      ranges_.push_back({s.open + 1, s.close, phase_++});
    } else if (s.has_barrier && s.kind != StatementKind::barrier) {
      ++phase_;
      if (s.masked || s.strided) check_whole_warps(s);
      if (s.strided) {
        check_strided(s);
      } else if (s.masked) {
        check_masked(s);
        ranges_.push_back({s.open + 1, s.close, phase_++});
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
  return is_block_jump(s) || (!s.collective && s.kind == StatementKind::expression &&
                              variables_.modifies_uniform(s.first, s.last - 1));
}

/// `if (C) break;` where C is the same for all threads.
bool Checks::is_block_jump(const Statement& s) const {
  const Statement* then = s.has_barrier ? nullptr : lone_branch(s);
  return then != nullptr && then->kind == StatementKind::jump && !list_.is(then->first, "goto") &&
         !variables_.declares(s.open + 1, s.close) && variables_.is_uniform(s.open + 1, s.close);
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
                  !variables_.declares(s.open + 1, s.close),
              s.open + 1, kMayDiffer);
      return;
    case StatementKind::for_statement: {
      const ForHeader header = for_header(list_, s);
      require(header.first_semicolon != kNone, s.first, kMayDiffer);
      const Index condition = header.first_semicolon + 1;
      require(condition == header.condition_last ||
                  variables_.is_uniform_step(condition, header.condition_last),
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

/// The condition of an if that may differ between threads is an expression.
void Checks::check_masked(const Statement& s) const {
  require(!variables_.declares(s.open + 1, s.close) &&
              find_top_level(list_, s.open + 1, s.close, {";"}) == s.close,
          s.open, "a declaration in a condition");
}

/// Whole warps come to a call of WMMA or none of it does, if what decides about it is the same in
/// all lanes.
void Checks::check_whole_warps(const Statement& s) const {
  if (!context_.collectives->names_whole_warp(list_, s.first, s.last)) return;
  const WarpUniform uniform(list_, context_, variables_);
  bool holds = false;
  if (s.strided) {
    const Declarator d = strided_header(list_, s).variable;
    holds = uniform.holds(d.init_first + 1, d.init_last);
  } else {
    holds = uniform.holds(s.open + 1, s.close);
  }
  require(holds, s.open, "what may differ between lanes around a call that a warp makes together");
}

void Checks::check_uniform_arguments(const CollectiveCall& call) const {
  const auto found = context_.collectives->uniform.find(list_.view(call.name));
  if (found == context_.collectives->uniform.end()) return;
  const WarpUniform uniform(list_, context_, variables_);
  for (const std::size_t number : found->second) {
    require(number < call.arguments.size(), call.first, "a default argument");
    const auto [first, last] = call.arguments[number];
    require(uniform.holds(first, last), first,
            "an argument that may differ between lanes, of a call that a warp makes together");
  }
}

/// The values of arguments are kept beyond the phase that computes them: an address among them
/// would be that of a variable which is gone, or is another thread's by then.
void Checks::check_own_addresses(const CollectiveCall& call) const {
  for (std::size_t number = 0; number < call.arguments.size(); ++number) {
    if (context_.collectives->is_reference(list_.view(call.name), number)) continue;
    const auto [first, last] = call.arguments[number];
    for (Index i = first; i < last; ++i) {
      require(!is_own_address(i, first), i,
              "the address of a thread's own variable, for a call in which threads meet");
    }
  }
}

/// Is the address of the variable at i, or of a part of it, taken there, by `&` or as that of an
/// array? What a reference or a parameter of the whole block refers to stays in its place, and what
/// a pointer points to, or an operator returns, is taken for no part of it.
bool Checks::is_own_address(Index i, Index first) const {
  const Variable* variable = list_.is_identifier(i) ? variables_.find(i) : nullptr;
  if (variable == nullptr || variable->is_reference || list_.is(i - 1, ".") ||
      list_.is(i - 1, "->") || (variable->is_parameter && variable->carrier == Carrier::uniform)) {
    return false;
  }
  const Declarator& d = variable->declarator;
  int sides = 0;
  for (Index k = d.dims_first; k < d.dims_last; ++k) {
    if (list_.is(k, "[")) ++sides, k = list_.match[k];
  }
  const bool array = sides > 0;
  Index next = i + 1;
  for (; sides > 0 && list_.is(next, "["); next = list_.match[next] + 1) --sides;
  if (sides > 0) return true;
  const bool operand =
      i - 1 > first && (list_.is_identifier(i - 2) || list_.is(i - 2, ")") ||
                        list_.is(i - 2, "]") || list_[i - 2].kind == TokenKind::number);
  return list_.is(i - 1, "&") && !operand &&
         (array || !(list_.is(next, "[") || list_.is(next, "(") || list_.is(next, "->")));
}

std::vector<CollectiveCall> Checks::calls(const Statement& s) const {
  return collective_calls(
      list_, *context_.collectives, s, [&](Index i) { return variables_.kind_of_name(i); },
      [&](std::string_view name) { return context_.declarations->is_pure(name); });
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

/// `return` only in the last phase; `break` and `continue` never out of a phase, but between phases
/// where all threads of the loop are there: not in an if for some of them.
void Checks::check_jumps(const Statement& s, bool some) const {
  const bool loop = s.kind == StatementKind::for_statement ||
                    s.kind == StatementKind::while_statement ||
                    s.kind == StatementKind::do_statement;
  some = !loop && (some || s.masked);
  for (const Statement& child : s.children) {
    if (child.leaves) continue;
    const bool branch = s.kind != StatementKind::block && child.kind == StatementKind::block;
    if ((child.has_barrier && !child.collective) || branch) {
      check_jumps(child, some);
      continue;
    }
    require(!leaves_loop(child) || (is_block_jump(child) && !some), child.first,
            "a jump out of a loop around a barrier");
    if (context_.is_function) {
      check_returns(child);
      continue;
    }
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

/// Is it the last thing that a thread does that comes to it?
bool Checks::is_last(const Statement& list, const Statement& s) {
  const Statement& last =
      list.kind == StatementKind::block && !list.children.empty() ? list.children.back() : list;
  if (&last == &s) return true;
  return last.kind == StatementKind::if_statement && last.has_barrier && !last.collective &&
         std::any_of(last.children.begin(), last.children.end(),
                     [&](const Statement& branch) { return is_last(branch, s); });
}

/// A function ends with its returns.
void Checks::check_returns(const Statement& s) const {
  if (s.kind == StatementKind::return_statement) {
    require(is_last(body_, s), s.first, "a return before the end of a function");
    return;
  }
  for (Index i = s.first; i < s.last; ++i) {
    if (begins_lambda(list_, i) && lambda_body(list_, i) != kNone) {
      i = list_.match[lambda_body(list_, i)];
    } else {
      require(!list_.is(i, "return"), i, "a return before the end of a function");
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

bool Checks::is_in_phases(Index i, const std::set<int>& phases) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
    return range.first <= i && i < range.last && phases.contains(range.phase);
  });
}

}  // namespace simt::rewrite::split
