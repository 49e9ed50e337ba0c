#include "split/statement.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "frontend/source.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {
namespace {

/// The `;` that ends what begins at `i`, brackets skipped.
Index find_semicolon(const TokenList& list, Index i, Index last) {
  for (; i < last; ++i) {
    if (list.is(i, ";")) return i;
    if (list.match[i] != kNone && list.match[i] > i) i = list.match[i];
  }
  return last;
}

class Parser {
 public:
  explicit Parser(const TokenList& list) : list_(list) {}

  Statement block(Index open) {
    Statement result{StatementKind::block, open, list_.match[open] + 1};
    for (Index i = open + 1; i + 1 < result.last;) {
      result.children.push_back(statement(i, result.last - 1));
      result.has_barrier |= result.children.back().has_barrier;
      result.block_barrier = result.has_barrier;
      i = result.children.back().last;
    }
    return result;
  }

 private:
  Statement statement(Index i, Index last) {
    if (list_.tokens[i].kind == TokenKind::directive) return {StatementKind::pragma, i, i + 1};
    const std::string_view word = list_.view(i);
    if (word == "{") return block(i);
    if (word == ";") return {StatementKind::expression, i, i + 1};
    if (word == "if") return control(StatementKind::if_statement, i, last);
    if (word == "for") return control(StatementKind::for_statement, i, last);
    if (word == "while") return control(StatementKind::while_statement, i, last);
    if (word == "switch") return control(StatementKind::switch_statement, i, last);
    if (word == "do") return do_while(i, last);
    if (any_of(word, {"case", "default"}) || (list_.is_identifier(i) && list_.is(i + 1, ":"))) {
      return label(i, last);
    }
    return simple(i, last);
  }

  Statement simple(Index i, Index last) {
    const Index end = std::min<Index>(find_semicolon(list_, i, last) + 1, last);
    Statement result{StatementKind::expression, i, end};
    const std::string_view word = list_.view(i);
    if (word == "__syncthreads" && list_.is(i + 1, "(") && end == i + 4) {
      result.kind = StatementKind::barrier;
      result.has_barrier = result.block_barrier = true;
    } else if (word == "return") {
      result.kind = StatementKind::return_statement;
    } else if (any_of(word, {"break", "continue", "goto"})) {
      result.kind = StatementKind::jump;
    } else if (any_of(word, {"struct", "class", "union", "enum"})) {
      // With a variable behind it, `struct P {...} p;` or `struct P p;`, it is no type alone.
      const Index open = find_top_level(list_, i, end, {"{"});
      const bool type_alone = list_.is(open, "{") && list_.match[open] + 2 == end;
      result.kind = type_alone ? StatementKind::fixed : StatementKind::other;
    } else if (any_of(word, {"using", "typedef", "static_assert"})) {
      result.kind = StatementKind::fixed;
    } else {
      classify_declaration(result);
    }
    return result;
  }

  void classify_declaration(Statement& statement) {
    for (Index i = statement.first;
         i < statement.last && (list_.is_identifier(i) || list_.is(i, ")")); ++i) {
      if (list_.is(i, "__shared__")) {
        statement.kind = StatementKind::shared;
        return;
      }
      if (list_.is(i, "alignas") || list_.is(i, "__align__") || list_.is(i, "__attribute__")) {
        statement.kind = StatementKind::other;  // an alignment would be lost
        if (list_.is(i + 1, "(")) i = list_.match[i + 1];
        continue;
      }
      if (list_.is(i, "constexpr")) {
        statement.kind = StatementKind::fixed;
        return;
      }
    }
    if (statement.kind != StatementKind::other &&
        !parse_declarators(list_, statement.first, statement.last - 1).empty()) {
      statement.kind = StatementKind::declaration;
    }
  }

  Statement control(StatementKind kind, Index i, Index last) {
    Statement result{kind, i, last};
    result.open = i + 1;
    if (list_.is(result.open, "constexpr")) ++result.open;
    if (!list_.is(result.open, "(")) return {StatementKind::other, i, last};
    result.close = list_.match[result.open];
    result.children.push_back(statement_after_pragmas(result.close + 1, last));
    if (kind == StatementKind::if_statement && list_.is(result.children[0].last, "else") &&
        result.children[0].last < last) {
      result.children.push_back(statement_after_pragmas(result.children[0].last + 1, last));
    }
    result.last = result.children.back().last;
    for (const Statement& child : result.children) result.has_barrier |= child.has_barrier;
    result.block_barrier = result.has_barrier;
    return result;
  }

  /// A pragma before the only statement of a control statement belongs to it.
  Statement statement_after_pragmas(Index i, Index last) {
    Statement result = statement(i, last);
    if (result.kind != StatementKind::pragma || result.last >= last) return result;
    Statement inner = statement_after_pragmas(result.last, last);
    inner.first = i;
    return inner;
  }

  Statement do_while(Index i, Index last) {
    Statement result{StatementKind::do_statement, i, last};
    result.children.push_back(statement_after_pragmas(i + 1, last));
    result.has_barrier = result.block_barrier = result.children[0].has_barrier;
    result.open = result.children[0].last + 1;
    if (result.open >= last || !list_.is(result.open, "(")) return {StatementKind::other, i, last};
    result.close = list_.match[result.open];
    result.last = result.close + 2;
    return result;
  }

  Statement label(Index i, Index last) {
    while (i < last && !list_.is(i, ":")) ++i;
    Statement result{StatementKind::other, i, i + 1};
    return result;
  }

  const TokenList& list_;
};

/// Skips a type name: qualified, with template arguments; kNone if there is none at `i`.
Index skip_type(const TokenList& list, Index i, Index last) {
  static constexpr std::array<std::string_view, 16> builtin{
      "unsigned", "signed", "long", "short", "int",      "char",     "float",    "double",
      "bool",     "auto",   "void", "const", "volatile", "register", "typename", "static"};
  bool named = false;
  while (i < last && list.is_identifier(i)) {
    const std::string_view word = list.view(i);
    if (any_of(word, {"return", "throw", "delete", "new", "goto", "sizeof", "else", "co_await"})) {
      return kNone;
    }
    const bool keyword = std::find(builtin.begin(), builtin.end(), word) != builtin.end();
    const bool qualifier =
        any_of(word, {"const", "volatile", "register", "typename", "static", "struct"});
    if (!keyword && !qualifier) {
      if (named) return i;
      named = true;
      ++i;
      while (i < last) {
        if (list.is(i, "<")) {
          const Index after = skip_template_arguments(list, i);
          if (after == kNone) return kNone;
          i = after;
        } else if (list.is(i, "::")) {
          ++i;
          if (list.is(i, "template")) ++i;
          if (!list.is_identifier(i)) return kNone;
          ++i;
        } else {
          break;
        }
      }
      continue;
    }
    if (!qualifier) {
      if (named && !any_of(word, {"long", "int", "unsigned", "char", "short", "double"})) return i;
      named = true;
    }
    ++i;
  }
  return named ? i : kNone;
}

}  // namespace

const Statement* lone_branch(const Statement& s) {
  if (s.kind != StatementKind::if_statement || s.children.size() != 1) return nullptr;
  const Statement& then = s.children[0];
  const bool braces = then.kind == StatementKind::block && then.children.size() == 1;
  return braces ? &then.children[0] : &then;
}

Statement parse_statements(const TokenList& list, Index open) { return Parser(list).block(open); }

std::vector<Index> declared_names(const TokenList& list, const Statement& s) {
  std::vector<Index> names;
  if (list.is(s.first, "static_assert")) return names;
  if (list.is(s.first, "using")) {
    if (list.is(s.first + 2, "=")) names.push_back(s.first + 1);
    return names;
  }
  if (any_of(list.view(s.first), {"struct", "class", "union", "enum"})) {
    const Index open = find_top_level(list, s.first, s.last, {"{"});
    for (Index i = s.first + 1; i < open; ++i) {
      if (list.is_identifier(i) && !any_of(list.view(i), {"class", "struct", "final"})) {
        names.push_back(i);
        break;
      }
    }
    if (!list.is(s.first, "enum")) return names;
    for (Index i = open + 1; i < list.match[open]; ++i) {
      if (list.is_identifier(i) && any_of(list.view(i - 1), {"{", ","})) names.push_back(i);
    }
    return names;
  }
  // What stands before a bracket, an initialiser, a comma or the end.
  for (Index i = s.first; i < s.last;) {
    if (list.is(i, "=")) {
      while (i + 1 < s.last && !list.is(i, ",") && !list.is(i, ";")) {
        i = list.match[i] != kNone && list.match[i] > i ? list.match[i] + 1 : i + 1;
      }
    }
    if (list.is_identifier(i) && any_of(list.view(i + 1), {"[", "=", "{", ",", ";"})) {
      names.push_back(i);
    }
    if (list.is(i, "<") && list.is_identifier(i - 1)) {
      const Index end = skip_template_arguments(list, i);
      i = end == kNone ? i + 1 : end;
    } else {
      i = list.match[i] != kNone && list.match[i] > i ? list.match[i] + 1 : i + 1;
    }
  }
  return names;
}

ForHeader for_header(const TokenList& list, const Statement& statement) {
  const Index first = find_semicolon(list, statement.open + 1, statement.close);
  if (first == statement.close) return {};
  const Index second = find_semicolon(list, first + 1, statement.close);
  if (second == statement.close) return {};
  const bool lifted = statement.condition_last != kNone;
  return {first, second, lifted ? statement.condition_last : second};
}

StridedHeader strided_header(const TokenList& list, const Statement& statement) {
  const ForHeader header = for_header(list, statement);
  if (header.first_semicolon == kNone) return {};
  const std::vector<Declarator> declared =
      parse_declarators(list, statement.open + 1, header.first_semicolon);
  if (declared.size() != 1) return {};
  StridedHeader result{declared[0]};
  const Declarator& d = result.variable;
  if (d.is_array() || d.pointer_first != d.name || !list.is(d.init_first, "=")) return {};
  result.condition_first = header.first_semicolon + 1;
  result.condition_last = header.condition_last;
  result.step_first = header.second_semicolon + 3;
  result.step_last = statement.close;
  const std::string_view name = list.view(d.name);
  const Index limit = result.condition_first + 2;
  const Index step = header.second_semicolon + 1;
  const bool shape = list.is(result.condition_first, name) &&
                     (list.is(limit - 1, "<") || list.is(limit - 1, "<=")) && list.is(step, name) &&
                     list.is(step + 1, "+=");
  if (!shape || limit >= result.condition_last || result.step_first >= result.step_last) return {};
  for (Index i = limit; i < result.step_last; ++i) {
    if (i == header.second_semicolon) i = result.step_first;
    if (list.is(i, name) || any_of(list.view(i), {"&&", "||", "?", ","})) return {};
  }
  result.valid = true;
  return result;
}

std::vector<std::pair<Index, Index>> parameter_ranges(const TokenList& list, Index open) {
  const Index close = list.match[open];
  std::vector<std::pair<Index, Index>> result;
  for (Index first = open + 1; first < close;) {
    Index last = first;
    while (last < close && !list.is(last, ",")) {
      const Index behind = list.is(last, "<") ? skip_template_arguments(list, last) : kNone;
      const bool opens = list.match[last] != kNone && list.match[last] > last;
      last = behind != kNone ? behind : opens ? list.match[last] + 1 : last + 1;
    }
    result.emplace_back(first, last);
    first = last + 1;
  }
  return result;
}

bool declares(const TokenList& list, Index first, Index last,
              const std::function<bool(Index)>& is_variable) {
  const std::vector<Declarator> declared = parse_declarators(list, first, last);
  if (declared.empty()) return false;
  for (Index i = declared[0].type_first; i < declared[0].type_last; ++i) {
    if (list.is_identifier(i) && is_variable(i)) return false;
  }
  return true;
}

namespace {

/// Does `(&name)[` stand at i?
bool begins_reference_to_array(const TokenList& list, Index i) {
  return list.is(i, "(") && list.is(i + 1, "&") && list.is_identifier(i + 2) &&
         list.is(i + 3, ")") && list.is(i + 4, "[");
}

}  // namespace

std::vector<Declarator> parse_parameter(const TokenList& list, Index first, Index last) {
  const Index type_last = skip_type(list, first, last);
  if (type_last == kNone || !begins_reference_to_array(list, type_last)) {
    return parse_declarators(list, first, last);
  }
  for (Index i = type_last + 4; i < last; i = list.match[i] + 1) {
    if (!list.is(i, "[")) return {};
  }
  return {{first, type_last, type_last, type_last + 2, type_last + 4, last, last, last}};
}

std::vector<Declarator> parse_declarators(const TokenList& list, Index first, Index last) {
  while (first < last && list.is(first, "[") && list.is(first + 1, "[")) {
    first = list.match[first] + 1;  // [[maybe_unused]]
  }
  const Index type_last = skip_type(list, first, last);
  if (type_last == kNone || type_last >= last) return {};
  std::vector<Declarator> result;
  for (Index i = type_last; i < last;) {
    // `T (&x)[4] = y` could be a call of T where that is no word of the language's.
    if (is_keyword_type(list, first, type_last) && begins_reference_to_array(list, i)) {
      Declarator reference{first, type_last, i, i + 2, i + 4};
      while (i + 4 < last && list.is(i + 4, "[")) i = list.match[i + 4] - 3;
      reference.dims_last = reference.init_first = i + 4;
      reference.init_last = last;
      const bool one =
          i + 4 < last && list.is(i + 4, "=") && find_top_level(list, i + 4, last, {","}) == last;
      return one ? std::vector<Declarator>{reference} : std::vector<Declarator>{};
    }
    Declarator declarator{first, type_last, i};
    while (i < last && any_of(list.view(i), {"*", "&", "&&", "const", "__restrict__", "volatile",
                                             "__restrict"})) {
      ++i;
    }
    if (i >= last || !list.is_identifier(i)) return {};
    declarator.name = i++;
    declarator.dims_first = i;
    while (i < last && list.is(i, "[")) i = list.match[i] + 1;
    declarator.dims_last = declarator.init_first = i;
    if (i < last && !any_of(list.view(i), {"=", "{", "(", ","})) return {};
    while (i < last && !list.is(i, ",")) {
      if (list.is(i, "<")) {
        const Index after = skip_template_arguments(list, i);
        i = after == kNone ? i + 1 : after;
      } else {
        i = list.match[i] != kNone && list.match[i] > i ? list.match[i] + 1 : i + 1;
      }
    }
    declarator.init_last = std::min(i, last);
    result.push_back(declarator);
    if (i < last) ++i;  // the comma
  }
  return result;
}

}  // namespace simt::rewrite::split
