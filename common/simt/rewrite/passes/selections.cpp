// `x == y ? value : 0.0f` and `flag ? 2 + a : b` in device code. g++ makes jumps of them where it
// makes no vectors.
#include <algorithm>
#include <array>
#include <string>

#include "passes/counted_loops.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

bool is_float_literal(const TokenList& list, Index i) {
  if (i >= list.size() || list[i].kind != TokenKind::number) return false;
  const std::string_view word = list.view(i);
  return word.find('.') != std::string_view::npos && (word.back() == 'f' || word.back() == 'F') &&
         word.find('x') == std::string_view::npos && word.find('X') == std::string_view::npos;
}

/// The first token of the condition whose `?` is at i, if it is a comparison of two names for
/// equality; kNone otherwise. Names may be qualified.
Index condition_begin(const TokenList& list, Index i) {
  const auto name_begin = [&](Index last) {
    if (!list.is_identifier(last)) return kNone;
    while (list.is(last - 1, "::") && list.is_identifier(last - 2)) last -= 2;
    return list.is(last - 1, "::") ? kNone : last;
  };
  const Index right = name_begin(i - 1);
  if (right == kNone || !(list.is(right - 1, "==") || list.is(right - 1, "!="))) return kNone;
  const Index left = name_begin(right - 2);
  if (left == kNone) return kNone;
  // Within other arithmetic the compiler would contract other products than before.
  static constexpr std::array<std::string_view, 3> before = {"=", "+=", "return"};
  return contains(before, list.view(left - 1)) ? left : kNone;
}

/// Is what a variable begins with read from memory or a register, and perhaps converted? A product
/// could be one with a sum that follows.
bool is_read(const TokenList& list, Index i) {
  for (; !list.is(i, ";") && !list.is(i, ","); ++i) {
    if (list.is(i, "static_cast") && list.is(i + 1, "<")) {
      i = skip_template_arguments(list, i + 1);
      if (i == kNone || !list.is(i, "(")) return false;
      continue;
    }
    const bool call = list.is(i + 1, "(") || list.is(i + 1, "{") || list.is(i + 1, "<");
    if (list.is(i, "[") && list.match[i] != kNone) {
      i = list.match[i];
    } else if (list.is_identifier(i) ? call : !list.is(i, ".") && !list.is(i, ")")) {
      return false;
    }
  }
  return true;
}

/// Where the statement, or the list in brackets, begins that the token at i is in.
Index list_begin(const TokenList& list, Index i) {
  static constexpr std::array<std::string_view, 5> before = {";", "{", "}", "(", "["};
  while (i > 0 && !contains(before, list.view(i - 1))) {
    const bool closes = list.is(i - 1, ")") || list.is(i - 1, "]");
    i = closes && list.match[i - 1] != kNone ? list.match[i - 1] : i - 1;
  }
  return i;
}

enum class Naming { use, number, other };

/// What the name at i is: that of a number which is read where it is declared, behind `const auto`
/// or `const float` and perhaps other names; that of another declaration; or used.
Naming naming(const TokenList& list, Index i) {
  const bool first = list.is_identifier(i - 1) && !list.is(i - 1, "return");
  if (!first && !list.is(i - 1, ",")) return Naming::use;
  const Index begin = first ? i - 2 : list_begin(list, i - 1);
  const bool number = list.is(begin, "const") &&
                      (list.is(begin + 1, "auto") || list.is(begin + 1, "float")) &&
                      list.is_identifier(begin + 2);
  if (!number) return first || list.is_identifier(begin + 1) ? Naming::other : Naming::use;
  return list.is(i + 1, "=") && is_read(list, i + 2) ? Naming::number : Naming::other;
}

/// Is a name that of a number which has a value where it is used, declared once in the function?
bool is_set(const TokenList& list, const Function& function, Index use) {
  int found = 0;
  for (Index i = function.params_open + 1; i < use; ++i) {
    if (!list.is(i, list.view(use))) continue;
    const Naming what = naming(list, i);
    if (what == Naming::other) return false;
    found += what == Naming::number ? 1 : 0;
  }
  return found == 1;
}

/// Is the word at i the name of a flag or a whole number that the function declares as
/// `const bool NAME =` or `const int NAME =`, and as nothing else?
bool is_constant(const TokenList& list, const Function& function, Index i, bool must_be_flag) {
  if (!list.is_identifier(i)) return false;
  int found = 0;
  for (Index k = function.params_open + 1; k < i; ++k) {
    if (!list.is(k, list.view(i)) || list.is(k - 1, ".") || list.is(k - 1, "->")) continue;
    const bool flag = list.is(k - 1, "bool"), number = list.is(k - 1, "int") && !must_be_flag;
    const bool declared = (flag || number) && list.is(k - 2, "const") && list.is(k + 1, "=");
    // Another declaration of the name has a word, a reference or a pointer before it.
    const bool other = list.is(k - 1, "&") || list.is(k - 1, "*") || list.is(k - 1, "&&") ||
                       (list.is_identifier(k - 1) && !list.is(k - 1, "return"));
    if (!declared && other) return false;
    found += declared ? 1 : 0;
  }
  return found == 1;
}

/// The end of a sum of literals and such names at i, or kNone; appends its terms.
Index constant_sum_end(const TokenList& list, const Function& function, Index i,
                       std::string& terms) {
  while (true) {
    const bool literal = is_whole_number(list, i);
    if (!literal && !is_constant(list, function, i, false)) return kNone;
    terms += (terms.empty() ? "" : ", ") + std::string(list.view(i));
    if (!list.is(i + 1, "+")) return i + 1;
    i += 2;
  }
}

/// `flag ? SUM : SUM`, whose `?` is at i, as a whole expression.
void select_sum(const Context& context, const Function& function, Index i) {
  const TokenList& list = context.list;
  static constexpr std::array<std::string_view, 5> before = {"{", "(", ",", "=", "return"};
  static constexpr std::array<std::string_view, 4> after = {"}", ")", ",", ";"};
  if (!is_constant(list, function, i - 1, true) || !contains(before, list.view(i - 2))) return;
  std::string first, second;
  const Index colon = constant_sum_end(list, function, i + 1, first);
  if (colon == kNone || !list.is(colon, ":")) return;
  const Index last = constant_sum_end(list, function, colon + 1, second);
  if (last == kNone || !contains(after, list.view(last))) return;
  context.edits.insert_before(i - 1, "::simt::selected(");
  context.edits.replace(i,
                        ", ::simt::whole_sum(" + first + "), ::simt::whole_sum(" + second + "))");
  for (Index k = i + 1; k < last; ++k) context.edits.replace(k, "");
}

}  // namespace

void rewrite_selections(const Context& context) {
  const TokenList& list = context.list;
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    if (!function.has_body() || words.is_constexpr || !(words.device || words.global)) continue;
    const bool other_names = has_other_names(list, function);
    for (Index i = function.body_open + 1; i + 4 < function.body_close; ++i) {
      if (!list.is(i, "?")) continue;
      if (!other_names) select_sum(context, function, i);
      if (!list.is(i + 2, ":")) continue;
      const bool literal_first = is_float_literal(list, i + 1);
      const Index name = literal_first ? i + 3 : i + 1, literal = literal_first ? i + 1 : i + 3;
      if (!list.is_identifier(name) || !is_float_literal(list, literal)) continue;
      const std::string_view next = list.view(i + 4);
      const Index first = condition_begin(list, i);
      if (next != ";" || first == kNone) continue;
      bool mentioned =
          false;  // a choice between two numbers that are compared has a form of its own
      for (Index k = first; k < i; ++k) mentioned = mentioned || list.is(k, list.view(name));
      if (mentioned || !is_set(list, function, name)) continue;
      context.edits.insert_before(first, "::simt::selected(static_cast<bool>(");
      context.edits.replace(i, "),");
      context.edits.replace(i + 2, ",");
      context.edits.insert_after(i + 3, ")");
    }
  }
}

}  // namespace simt::rewrite
