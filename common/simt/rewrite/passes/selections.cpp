// `x == y ? value : 0.0f` in device code. g++ makes jumps of it where it makes no vectors.
#include <algorithm>
#include <array>
#include <string>

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
  for (; !list.is(i, ";"); ++i) {
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

/// Is a name that of a number which has a value where it is used: one that is declared with
/// `const auto NAME =` or `const float NAME =`, once in the function?
bool is_set(const TokenList& list, const Function& function, Index use) {
  int found = 0;
  for (Index i = function.params_open + 1; i < use; ++i) {
    if (!list.is(i, list.view(use)) || !list.is_identifier(i - 1) || list.is(i - 1, "return")) {
      continue;
    }
    const bool number = list.is(i - 1, "auto") || list.is(i - 1, "float");
    if (!number || !list.is(i - 2, "const") || !list.is(i + 1, "=")) return false;
    if (!is_read(list, i + 2)) return false;
    ++found;
  }
  return found == 1;
}

}  // namespace

void rewrite_selections(const Context& context) {
  const TokenList& list = context.list;
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    if (!function.has_body() || words.is_constexpr || !(words.device || words.global)) continue;
    for (Index i = function.body_open + 1; i + 4 < function.body_close; ++i) {
      if (!list.is(i, "?") || !list.is(i + 2, ":")) continue;
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
