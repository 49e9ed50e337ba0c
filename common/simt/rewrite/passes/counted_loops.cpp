#include "passes/counted_loops.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "frontend/analysis.hpp"

namespace simt::rewrite {
namespace {

/// The end of the statement at i, which begins no block, or kNone.
Index statement_end(const TokenList& list, Index i, Index last) {
  for (; i < last; ++i) {
    if (list.is(i, ";")) return i + 1;
    if (list.is(i, "{") || list.is(i, "}")) return kNone;
    if (list.match[i] != kNone && list.match[i] > i) i = list.match[i];
  }
  return kNone;
}

/// Is the word before a name part of what declares it?
bool declares(const TokenList& list, Index name) {
  static constexpr std::array<std::string_view, 7> words = {"return", "else",     "case", "goto",
                                                            "throw",  "co_yield", "do"};
  const std::string_view before = list.view(name - 1);
  if (before == "*") return !list.is(name - 2, "]");  // it multiplies an element
  if (before == "&&" || before == ">") return true;
  if (before == "&") {  // of an argument it is the address
    const bool of_array = list.is(name + 1, ")") && list.is(name + 2, "[");
    return of_array ||
           (!list.is(name - 2, "(") && !list.is(name - 2, ",") && !list.is(name - 2, "="));
  }
  if (before == ")") {
    const Index open = list.match[name - 1];
    return open != kNone && list.is(open - 1, "decltype");
  }
  return list.is_identifier(name - 1) && !contains(words, before);
}

/// Does the declarator at `name` belong to `float a[..], b[..]`, without words that make of it more
/// than a variable of this call?
bool is_local_array(const TokenList& list, Index first, Index name) {
  if (!list.is(name + 1, "[")) return false;
  Index i = name;
  while (i > first && list.is(i - 1, ",")) {  // past `b[..] = {..},`
    Index k = i - 2;
    if (list.is(k, "}") && list.match[k] != kNone) k = list.match[k] - 1;
    if (list.is(k, "=")) --k;
    if (!list.is(k, "]")) return false;
    while (list.is(k, "]") && list.match[k] != kNone) k = list.match[k] - 1;
    if (!list.is_identifier(k)) return false;
    i = k;
  }
  if (i < first + 2 || !list.is(i - 1, "float")) return false;
  Index begin = i - 1;
  if (list.is(begin - 1, "const")) --begin;
  const std::string_view before = list.view(begin - 1);
  return before == ";" || before == "{" || before == "}" ||
         list[begin - 1].kind == TokenKind::directive;
}

/// The terms of `[a + b]`, without the inner variable, which is one of them or is not.
bool read_sum(const TokenList& list, Index open, std::string_view inner, std::string_view outer,
              bool has_inner, std::string& parts) {
  bool found = false;
  for (Index i = open + 1; i < list.match[open]; i += 2) {
    const std::string_view word = list.view(i);
    if (!list.is_identifier(i) && !is_whole_number(list, i)) return false;
    if (i + 1 != list.match[open] && !list.is(i + 1, "+")) return false;
    if (word == outer || (word == inner && (found || !has_inner))) return false;
    if (word == inner) {
      found = true;
      continue;
    }
    parts += (parts.empty() ? "" : ", ") + std::string(word);
  }
  return found == has_inner && !list.is(list.match[open] - 1, "+");
}

}  // namespace

bool is_whole_number(const TokenList& list, Index i) {
  if (i >= list.size() || list[i].kind != TokenKind::number) return false;
  const std::string_view digits = list.view(i);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_unroll(const TokenList& list, Index i) {
  return list[i].kind == TokenKind::directive &&
         list.view(i).find("unroll") != std::string_view::npos;
}

Index past_pragma(const TokenList& list, Index i) { return is_unroll(list, i) ? i + 1 : i; }

std::optional<CountedLoop> read_header(const TokenList& list, Index i) {
  if (!list.is(i, "for") || !list.is(i + 1, "(") || list.match[i + 1] == kNone) return {};
  const Index open = i + 1, close = list.match[open];
  const std::string_view name = list.view(open + 2);
  const bool begins = list.is(open + 1, "int") && list.is_identifier(open + 2) &&
                      list.is(open + 3, "=") && list.is(open + 4, "0") && list.is(open + 5, ";") &&
                      list.is(open + 6, name) && list.is(open + 7, "<");
  if (!begins || !list.is(open + 9, ";")) return {};
  const bool bound = list.is_identifier(open + 8) || is_whole_number(list, open + 8);
  std::string step;
  for (Index k = open + 10; k < close; ++k) step += list.view(k);
  if (!bound || (step != "++" + std::string(name) && step != std::string(name) + "++")) return {};
  CountedLoop loop;
  loop.variable = name;
  loop.bound = open + 8;
  loop.first = i;
  loop.body_first = close + 1;
  return loop;
}

std::optional<CountedLoop> read_loop(const TokenList& list, Index i, Index last) {
  std::optional<CountedLoop> loop = read_header(list, i);
  if (!loop) return {};
  const Index body = loop->body_first;
  if (list.is(body, "{")) {
    if (list.match[body] == kNone) return {};
    loop->body_first = body + 1;
    loop->body_last = list.match[body];
    loop->last = list.match[body] + 1;
    return loop;
  }
  const Index inner = past_pragma(list, body);
  Index end = kNone;
  if (list.is(inner, "for")) {
    const std::optional<CountedLoop> nested = read_loop(list, inner, last);
    if (nested) end = nested->last;
  } else {
    end = statement_end(list, inner, last);
  }
  if (end == kNone) return {};
  loop->body_last = loop->last = end;
  return loop;
}

NameOrigin origin_of(const TokenList& list, const Function& function, std::string_view name,
                     Index use) {
  Index declared = kNone;
  for (Index i = function.body_open + 1; i < use; ++i) {
    if (!list.is(i, name)) continue;
    const bool listed = list.is(i - 1, ",") && is_local_array(list, function.body_open, i);
    if (!listed && !declares(list, i)) continue;
    if (declared != kNone) return NameOrigin::unknown;
    declared = i;
  }
  for (Index i = function.params_open + 1; i < function.params_close; ++i) {
    if (!list.is(i, name)) continue;
    return declared == kNone ? NameOrigin::parameter : NameOrigin::unknown;
  }
  if (declared == kNone) return NameOrigin::unknown;
  return is_local_array(list, function.body_open, declared) ? NameOrigin::local
                                                            : NameOrigin::unknown;
}

bool is_local_value(const TokenList& list, const Function& function, std::string_view name,
                    Index use) {
  int found = 0;
  for (Index i = function.params_open + 1; i < use; ++i) {
    if (!list.is(i, name) || list.is(i - 1, ".") || list.is(i - 1, "->")) continue;
    if (!declares(list, i) && !list.is(i - 1, ",")) continue;
    if (i < function.body_open) return false;
    Index type = i - 1;
    if (!list.is_identifier(type) || list.is(type, "auto") || !list.is(i + 1, "=")) return false;
    if (list.is(type - 1, "const")) --type;
    const std::string_view before = list.view(type - 1);
    const bool alone = before == ";" || before == "{" || before == "}" ||
                       list[type - 1].kind == TokenKind::directive;
    if (!alone) return false;
    ++found;
  }
  return found == 1;
}

bool begins_statement(const TokenList& list, Index i) {
  const std::string_view before = list.view(i - 1);
  if (before == ")") {
    const Index open = list.match[i - 1];
    return open != kNone && list.is(open - 1, "for");
  }
  return before == ";" || before == "{" || before == "}";
}

bool has_other_names(const TokenList& list, const Function& function) {
  for (Index i = function.body_open + 1; i < function.body_close; ++i) {
    if (list.is(i, "struct") || list.is(i, "class") || list.is(i, "union")) return true;
    if (!list.is(i, "auto")) continue;
    const bool reference = list.is(i + 1, "&") || list.is(i + 1, "&&");
    if (list.is(reference ? i + 2 : i + 1, "[")) return true;
  }
  return false;
}

Index read_product_row(const TokenList& list, Index i, std::string_view inner,
                       std::string_view outer, std::string& row) {
  if (!list.is_identifier(i) || !list.is(i + 1, "[")) return kNone;
  row = std::string(list.view(i));
  Index open = i + 1;
  if (list.is(list.match[open] + 1, "[")) {
    std::string parts;
    if (!read_sum(list, open, inner, outer, false, parts)) return kNone;
    row += ", ::simt::product_index(" + parts + ")";
    open = list.match[open] + 1;
  }
  std::string parts;
  if (!read_sum(list, open, inner, outer, true, parts)) return kNone;
  row += ", ::simt::product_index(" + parts + ")";
  return list.match[open] + 1;
}

std::string_view row_name(const std::string& row) {
  return std::string_view(row).substr(0, row.find(','));
}

}  // namespace simt::rewrite
