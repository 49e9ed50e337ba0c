#include "variables.hpp"

#include <algorithm>
#include <array>

namespace simt::rewrite::split {
namespace {

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool ends_operand(const TokenList& list, Index i) {
  return list.is_identifier(i) || list.tokens[i].kind == TokenKind::number ||
         any_of(list.view(i), {")", "]", "}"});
}

bool is_member_name(const TokenList& list, Index i) {
  return i > 0 && any_of(list.view(i - 1), {".", "->", "::"});
}

}  // namespace

bool Variable::is_reference(const TokenList& list) const {
  for (Index i = declarator.pointer_first; i < declarator.name; ++i) {
    if (any_of(list.view(i), {"&", "&&"})) return true;
  }
  return false;
}

bool Variable::type_has(const TokenList& list, std::string_view word) const {
  for (Index i = declarator.type_first; i < declarator.type_last; ++i) {
    if (list.is(i, word)) return true;
  }
  return false;
}

Variables::Variables(const TokenList& list, const KernelContext& context, const Statement& body)
    : list_(list), context_(context) {
  add_parameters(body);
  collect(body, true);
  collect_uses(body);
  find_uniform();
  for (Variable& variable : variables_) {
    const Declarator& d = variable.declarator;
    variable.pure = !variable.is_parameter && d.has_init() && !d.is_array() &&
                    variable.modifications.empty() && !variable.is_reference(list_) &&
                    is_pure(d.init_first, d.init_last);
  }
}

void Variables::add_parameters(const Statement& body) {
  Index first = context_.params_open + 1;
  while (first < context_.params_close) {
    Index last = first;
    while (last < context_.params_close && !list_.is(last, ",")) {
      if (list_.is(last, "<")) {
        const Index after = skip_template_arguments(list_, last);
        last = after == kNone ? last + 1 : after;
      } else {
        last = list_.match[last] != kNone && list_.match[last] > last ? list_.match[last] + 1
                                                                      : last + 1;
      }
    }
    declare(first, last, body.last, true, false);
    first = last + 1;
  }
  for (Variable& variable : variables_) variable.is_parameter = true;
}

void Variables::collect(const Statement& block, bool barrier_level) {
  for (const Statement& child : block.children) {
    collect_statement(child, block.last, barrier_level);
  }
}

void Variables::collect_statement(const Statement& statement, Index scope_last,
                                  bool barrier_level) {
  switch (statement.kind) {
    case StatementKind::declaration:
      declare(statement.first, statement.last - 1, scope_last, barrier_level, false);
      return;
    case StatementKind::shared:
    case StatementKind::fixed:
      return;
    case StatementKind::expression:
      if (barrier_level) block_level_.push_back({statement.first, statement.last - 1});
      return;
    case StatementKind::block:
      collect(statement, barrier_level && statement.has_barrier);
      return;
    default:
      break;
  }
  const bool inner_level = barrier_level && statement.has_barrier;
  if (statement.kind == StatementKind::for_statement) {
    const ForHeader header = for_header(list_, statement);
    if (header.first_semicolon != kNone) {
      declare(statement.open + 1, header.first_semicolon, statement.last, inner_level, true);
      if (inner_level && statement.strided) {
        variables_.back().carrier = Carrier::strided;
        strided_loops_.push_back({statement.first, statement.last});
      }
      if (inner_level) {
        block_level_.push_back({statement.open + 1, header.first_semicolon});
        block_level_.push_back({header.second_semicolon + 1, statement.close});
      }
    } else {
      declare(statement.open + 1, statement.close, statement.last, false, true);
    }
  } else if (statement.open != kNone) {
    declare(statement.open + 1, statement.close, statement.last, false, true);  // if (int x = ...)
  }
  for (const Statement& child : statement.children) {
    collect_statement(child, child.last, inner_level);
  }
}

void Variables::declare(Index first, Index last, Index scope_last, bool barrier_level,
                        bool in_for_header) {
  for (const Declarator& declarator : parse_declarators(list_, first, last)) {
    const std::string_view name = list_.view(declarator.name);
    int number = -1;
    if (barrier_level) {
      number = static_cast<int>(variables_.size());
      Variable variable;
      variable.name = name;
      variable.declarator = declarator;
      variable.in_for_header = in_for_header;
      variable.scope_first = declarator.name;
      variable.scope_last = scope_last;
      variables_.push_back(variable);
    }
    declared_.push_back({name, declarator.name, scope_last, number});
  }
}

const Variable* Variables::find(Index i) const {
  if (!list_.is_identifier(i) || is_member_name(list_, i)) return nullptr;
  const std::string_view name = list_.view(i);
  const Declared* best = nullptr;
  for (const Declared& declared : declared_) {
    if (declared.name == name && declared.first <= i && i < declared.last &&
        (best == nullptr || declared.first > best->first)) {
      best = &declared;
    }
  }
  return best == nullptr || best->variable < 0 ? nullptr : &variables_[best->variable];
}

void Variables::collect_uses(const Statement& body) {
  for (Index i = body.first; i < body.last; ++i) {
    const Variable* found = find(i);
    if (found == nullptr || found->declarator.name == i) continue;
    Variable& variable = variables_[found - variables_.data()];
    variable.uses.push_back(i);
    if (is_modified_at(variable, i)) variable.modifications.push_back(i);
  }
}

bool Variables::is_assignment(Index i) const {
  const std::string_view word = list_.view(i);
  // `>` is always a token of its own: `>=` and `>>=` are written as several.
  if (word == "=" && i > 0 && list_.is(i - 1, ">") && list_.adjacent(i - 1)) return false;
  if (any_of(word, {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}))
    return true;
  return word == ">" && list_.adjacent(i) && list_.is(i + 1, ">") && list_.adjacent(i + 1) &&
         list_.is(i + 2, "=");
}

bool Variables::is_modified_at(const Variable& variable, Index i) const {
  const std::string_view before = list_.view(i - 1);
  if (any_of(before, {"++", "--"})) return true;
  if (before == "&" && !ends_operand(list_, i - 2)) return true;
  if (passed_by_reference(i)) return true;
  if (list_.is(i + 1, ".") && list_.is_identifier(i + 2) && list_.is(i + 3, "(") &&
      !variable.type_has(list_, "const")) {
    return true;  // a member function may do anything
  }
  Index next = i + 1;
  while (true) {
    if (list_.is(next, ".") && list_.is_identifier(next + 1)) {
      next += 2;
    } else if (list_.is(next, "[") && variable.declarator.is_array()) {
      next = list_.match[next] + 1;
    } else {
      break;
    }
  }
  return is_assignment(next);
}

bool Variables::passed_by_reference(Index i) const {
  if (!any_of(list_.view(i - 1), {"(", ","}) || !any_of(list_.view(i + 1), {")", ","}))
    return false;
  // Outwards to the parenthesis of the call.
  Index open = i - 1;
  while (open > 0 && !list_.is(open, "(")) {
    if (any_of(list_.view(open), {";", "{", "}"})) return false;
    open = any_of(list_.view(open), {")", "]"}) ? list_.match[open] - 1 : open - 1;
  }
  if (open == 0) return false;
  if (context_.reference_functions.contains(list_.view(open - 1))) return true;
  const Variable* callee = find(open - 1);  // a lambda of the kernel's own
  if (callee == nullptr || !callee->declarator.has_init()) return false;
  const Declarator& d = callee->declarator;
  for (Index j = d.init_first; j < d.init_last && !list_.is(j, "{"); ++j) {
    if (list_.is(j, "(")) {
      return list_.view(j, list_.match[j]).find('&') != std::string_view::npos;
    }
  }
  return false;
}

void Variables::find_uniform() {
  for (Variable& variable : variables_) {
    if (variable.carrier == Carrier::strided) continue;
    const Declarator& d = variable.declarator;
    const bool possible =
        variable.is_parameter || (!d.is_array() && !variable.is_reference(list_) &&
                                  (d.has_init() || !variable.modifications.empty()));
    variable.carrier = possible ? Carrier::uniform : Carrier::per_thread;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Variable& variable : variables_) {
      if (variable.carrier == Carrier::uniform && !stays_uniform(variable)) {
        variable.carrier = Carrier::per_thread;
        changed = true;
      }
    }
  }
}

bool Variables::stays_uniform(const Variable& variable) const {
  const Declarator& d = variable.declarator;
  if (!variable.is_parameter && d.has_init() &&
      !expression(d.init_first, d.init_last, true, false)) {
    return false;
  }
  return std::all_of(variable.modifications.begin(), variable.modifications.end(), [&](Index i) {
    return in_step_with(variable, i) &&
           std::any_of(block_level_.begin(), block_level_.end(), [&](const auto& range) {
             return range.first <= i && i < range.last && is_uniform(range.first, range.last);
           });
  });
}

/// Do all threads that have the variable come to the modification equally often?
bool Variables::in_step_with(const Variable& variable, Index modification) const {
  const Index name = variable.declarator.name;
  return std::all_of(strided_loops_.begin(), strided_loops_.end(), [&](const auto& loop) {
    const bool modified_inside = loop.first <= modification && modification < loop.last;
    return !modified_inside || (loop.first <= name && name < loop.last);
  });
}

bool Variables::is_uniform(Index first, Index last) const {
  return expression(first, last, true, true);
}

bool Variables::is_pure(Index first, Index last) const {
  return expression(first, last, false, false);
}

bool Variables::modifies_uniform(Index first, Index last) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const Variable& variable) {
    return variable.carrier == Carrier::uniform &&
           std::any_of(variable.modifications.begin(), variable.modifications.end(),
                       [&](Index i) { return first <= i && i < last; });
  });
}

/// Reads no memory; with `uniform`, names nothing that differs between threads; without
/// `may_assign`, modifies nothing.
bool Variables::expression(Index first, Index last, bool uniform, bool may_assign) const {
  const Index begin = first;
  if (first < last && list_.is(first, "=")) ++first;  // the `=` of an initialiser
  for (Index i = first; i < last; ++i) {
    const std::string_view word = list_.view(i);
    if (any_of(word, {"[", "->"})) return false;
    if (word == "*" && (i == begin || !ends_operand(list_, i - 1)) && !list_.is(i + 1, ")")) {
      return false;  // a dereference
    }
    if (!may_assign && is_assignment(i)) return false;
    if (!list_.is_identifier(i) || is_member_name(list_, i)) {
      if (list_.is_identifier(i) && list_.is(i + 1, "(") && !call_allowed(i)) return false;
      continue;
    }
    if (list_.is(i + 1, "(") && !call_allowed(i)) return false;
    if (uniform && word == "threadIdx") return false;
    if (context_.device_variables.contains(word)) return false;
    if (const Variable* variable = find(i)) {
      const bool unmodified = variable->modifications.empty();
      if (variable->carrier == Carrier::uniform) continue;
      if (uniform) return false;
      if (!unmodified || variable->is_parameter) return false;
      if (variable->declarator.name < i && !variable->declarator.has_init()) return false;
      const Declarator& d = variable->declarator;
      if (d.is_array() || variable->is_reference(list_) || d.init_last > i ||
          !expression(d.init_first, d.init_last, false, false)) {
        return false;
      }
      continue;
    }
    // A name declared within a statement that no barrier cuts: not known here.
    for (const Declared& declared : declared_) {
      if (declared.variable < 0 && declared.name == word && declared.first <= i &&
          i < declared.last) {
        return false;
      }
    }
  }
  return true;
}

bool Variables::call_allowed(Index name) const {
  static constexpr std::array<std::string_view, 23> known{
      "int",  "unsigned", "float",    "double",   "long",    "short",    "char",    "bool",
      "min",  "max",      "ceil_div", "abs",      "size_t",  "sizeof",   "fminf",   "fmaxf",
      "dim3", "alignof",  "int64_t",  "uint32_t", "int32_t", "uint64_t", "decltype"};
  const std::string_view word = list_.view(name);
  return std::find(known.begin(), known.end(), word) != known.end() ||
         context_.pure_functions.contains(word);
}

}  // namespace simt::rewrite::split
