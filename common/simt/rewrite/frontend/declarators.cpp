#include "frontend/declarators.hpp"

#include <algorithm>

#include "frontend/source.hpp"

namespace simt::rewrite {
namespace {

Index past(const TokenList& list, Index i) {
  return list.match[i] == kNone ? i + 1 : list.match[i] + 1;
}

bool is_cv(const TokenList& list, Index i) {
  return list.is(i, "const") || list.is(i, "volatile") || list.is(i, "__restrict__") ||
         list.is(i, "__restrict");
}

/// Where the declarator whose name is at `name` begins: before its `*` and `&`.
Index declarator_begin(const TokenList& list, Index name, Index first) {
  Index begin = name;
  for (Index i = name; i > first; --i) {
    if (list.is(i - 1, "*") || list.is(i - 1, "&")) {
      begin = i - 1;
    } else if (!is_cv(list, i - 1)) {
      break;
    }
  }
  return begin;
}

/// `(S::*name` at the parenthesis?
bool is_member_pointer(const TokenList& list, Index open) {
  Index i = open + 1;
  while (list.is_identifier(i) && list.is(i + 1, "::")) i += 2;
  return i > open + 1 && list.is(i, "*");
}

bool ends_declarator(const TokenList& list, Index i) {
  return list.is(i, ",") || list.is(i, "=") || list.is(i, "{") || list.is(i, ":");
}

/// One declarator from `first` (after specifiers, or after a comma).
Declarator read_declarator(const TokenList& list, Index first, Index end) {
  Declarator declarator;
  Index i = first;
  while (i < end && !ends_declarator(list, i) && !list.is(i, "[") && !list.is(i, "(")) {
    const bool is_class =
        list.is(i, "struct") || list.is(i, "union") || list.is(i, "class") || list.is(i, "enum");
    if (list.is_identifier(i) && takes_argument(list.view(i)) && list.is(i + 1, "(")) {
      i = past(list, i + 1);
      continue;
    }
    if (is_class) {
      Index stop = find_top_level(list, i, end, {"{", ",", "=", "[", "("});
      while (list.is(stop, "(") && takes_argument(list.view(stop - 1))) {  // alignas(16)
        stop = find_top_level(list, past(list, stop), end, {"{", ",", "=", "[", "("});
      }
      const bool body = list.is(stop, "{") &&
                        (stop == i + 1 || list.is(stop - 1, ")") || list.is_identifier(stop - 1));
      if (body) {
        i = past(list, stop);
        continue;
      }
    }
    if (list.is(i, "<") && i > first) {
      const Index close = skip_template_arguments(list, i);
      if (close != kNone) {
        i = close;
        continue;
      }
    }
    if (list.is_identifier(i) && !is_cv(list, i)) declarator.name = i;
    ++i;
  }
  if (list.is(i, "(") &&
      (list.is(i + 1, "*") || list.is(i + 1, "&") || is_member_pointer(list, i))) {
    // A pointer to an array or a function: `(*name)[4]`, `(S::*name)()`.
    const Index close = list.match[i];
    declarator.first = i;
    for (Index k = i + 1; k < close; ++k) {
      if (list.is_identifier(k) && !is_cv(list, k) && !list.is(k + 1, "::")) {
        declarator.name = k;
        break;
      }
    }
    i = close + 1;
    if (list.is(i, "(")) i = past(list, i);
  } else if (declarator.name != kNone) {
    declarator.first = declarator_begin(list, declarator.name, first);
  }
  while (list.is(i, "[") && i < end) i = past(list, i);
  declarator.last = std::min(i, end);
  if (i < end && (list.is(i, "=") || list.is(i, "{") || list.is(i, "(")))
    declarator.initializer = i;
  return declarator;
}

/// The comma behind a declarator; commas in template arguments of an initialiser are rare enough.
Index next_comma(const TokenList& list, Index first, Index end) {
  return find_top_level(list, first, end, {","});
}

}  // namespace

Index statement_begin(const TokenList& list, Index i) {
  while (i > 0) {
    const std::string_view word = list.view(i - 1);
    const bool label = word == ":" && !(i >= 2 && list.is(i - 2, ":"));
    if (word == ";" || word == "{" || word == "}" || label ||
        list[i - 1].kind == TokenKind::directive) {
      break;
    }
    --i;
  }
  return i;
}

Declaration split_declaration(const TokenList& list, Index first, Index semicolon) {
  Declaration declaration;
  declaration.first = first;
  Index i = first;
  while (i < semicolon) {
    const Declarator declarator = read_declarator(list, i, semicolon);
    if (declarator.name == kNone) break;
    if (declaration.declarators.empty()) declaration.last = declarator.first;
    declaration.declarators.push_back(declarator);
    i = next_comma(list, declarator.last, semicolon) + 1;
  }
  if (declaration.declarators.empty()) declaration.last = semicolon;
  return declaration;
}

Pieces type_pieces(const TokenList& list, const Declaration& declaration, bool with_alignment) {
  Pieces pieces;
  Index run = declaration.first;
  Index i = declaration.first;
  const auto flush = [&](Index end) {
    if (run < end) {
      pieces.push_back(source(run, end));
      pieces.push_back(new_text(" "));
    }
  };
  while (i < declaration.last) {
    const std::string_view word = list.view(i);
    const bool storage = word == "__shared__" || word == "extern" || word == "static" ||
                         word == "__device__" || word == "__constant__" || word == "__managed__";
    const bool alignment = !with_alignment && list.is(i + 1, "(") &&
                           (word == "__align__" || word == "alignas" || word == "__attribute__" ||
                            word == "__builtin_align__");
    if (storage || alignment) {
      flush(i);
      i = alignment ? past(list, i + 1) : i + 1;
      run = i;
    } else if (word == "{") {
      i = past(list, i);
    } else {
      ++i;
    }
  }
  flush(declaration.last);
  return pieces;
}

}  // namespace simt::rewrite
