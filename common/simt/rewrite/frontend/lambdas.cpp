#include "frontend/lambdas.hpp"

namespace simt::rewrite {

bool begins_lambda(const TokenList& list, Index i) {
  if (!list.is(i, "[") || list.match[i] == kNone || list.is(i + 1, "[")) return false;
  if (i > 0 && list.is(i - 1, "[")) return false;
  if (i > 0) {
    const std::string_view before = list.view(i - 1);
    const bool value = list.is_identifier(i - 1) && before != "return" && before != "co_return" &&
                       before != "co_yield" && before != "else" && before != "case";
    if (value || before == ")" || before == "]" || list[i - 1].kind == TokenKind::string) {
      return false;
    }
  }
  return lambda_body(list, i) != kNone;
}

Index lambda_body(const TokenList& list, Index i) {
  Index k = list.match[i] + 1;
  if (list.is(k, "<")) k = skip_template_arguments(list, k);
  bool trailing = false;
  while (k < list.size()) {
    const std::string_view word = list.view(k);
    if (word == "{") return list.match[k] == kNone ? kNone : k;
    if (word == "(" || word == "[") {
      if (list.match[k] == kNone) return kNone;
      k = list.match[k] + 1;
    } else if (word == "<") {
      k = skip_template_arguments(list, k);
    } else if (list.is_identifier(k) || word == "->" || word == "::" ||
               (trailing && (word == "*" || word == "&"))) {
      trailing = trailing || word == "->";
      ++k;
    } else {
      return kNone;
    }
  }
  return kNone;
}

std::vector<Index> device_lambdas(const TokenList& list) {
  std::vector<Index> found;
  for (Index i = 0; i < list.size(); ++i) {
    if (!list.is(i, "[") || list.is_system(i) || !begins_lambda(list, i)) continue;
    const Index open = lambda_body(list, i);
    for (Index k = list.match[i]; open != kNone && k < open; ++k) {
      if (!list.is(k, "__device__")) continue;
      found.push_back(i);
      break;
    }
  }
  return found;
}

}  // namespace simt::rewrite
