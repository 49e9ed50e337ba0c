// Operators and type names as tokens.
#include "split/expression.hpp"
#include "split/words.hpp"

namespace simt::rewrite::split {

std::string_view operator_at(const TokenList& list, Index i) {
  if (!list.is(i, ">")) return list.view(i);
  Index end = i;
  const auto joined = [&](std::string_view word) {
    return list.adjacent(end) && list.is(end + 1, word);
  };
  if (joined(">")) ++end;
  if (joined("=")) ++end;
  return list.view(i, end + 1);
}

bool is_type_keyword(std::string_view word) {
  return any_of(word, {"bool", "char", "short", "int", "long", "signed", "unsigned", "float",
                       "double", "wchar_t", "char8_t", "char16_t", "char32_t"});
}

bool is_keyword_type(const TokenList& list, Index first, Index last) {
  bool any = false;
  for (Index i = first; i < last; ++i) {
    if (is_type_keyword(list.view(i))) {
      any = true;
    } else if (!list.is(i, "const")) {
      return false;
    }
  }
  return any;
}

}  // namespace simt::rewrite::split
