#include "passes/shared_names.hpp"

#include <algorithm>
#include <array>

#include "frontend/analysis.hpp"
#include "frontend/declarators.hpp"
#include "split/statement.hpp"

namespace simt::rewrite {
namespace {

/// Words that take what stands between their parentheses for a type's expression.
bool is_decltype(std::string_view word) {
  return word == "decltype" || word == "__decltype" || word == "typeof" || word == "__typeof__";
}

bool has_header(std::string_view word) {
  return word == "for" || word == "if" || word == "while" || word == "switch" ||
         word == "constexpr";
}

/// The bracket that is open at token i, or kNone.
Index enclosing(const TokenList& list, Index i) {
  while (i-- > 0) {
    const Index other = list.match[i];
    if (other == kNone) continue;
    if (other > i) return i;
    i = other;
  }
  return kNone;
}

}  // namespace

void SharedNames::add(std::string_view name, SharedAs as, Index first) {
  const Index block = enclosing(list_, first);
  const Index last = block == kNone ? list_.size() : list_.match[block];
  for (Index i = first; i < last; ++i) {
    const bool asked = is_decltype(list_.view(i)) && list_.is(i + 1, "(") &&
                       list_.match[i + 1] == i + 3 && list_.is(i + 2, name);
    if (asked && as == SharedAs::reference && !is_declared_again(name, first, i)) {
      edits_.insert_before(i, "::std::remove_reference_t<");
      edits_.insert_after(i + 3, ">");
    }
    if (begins_lambda(list_, i) && !is_declared_again(name, first, i)) capture(i, name, as);
  }
}

void SharedNames::apply() {
  for (const auto& [close, names] : captures_) {
    std::string text;
    for (const std::string& name : names) {
      if (!text.empty() || !list_.is(close - 1, "[")) text += ", ";
      text += name;
    }
    edits_.insert_before(close, text);
  }
}

/// The lambda at `open` captures the variable as what it is, if it mentions it and would not.
void SharedNames::capture(Index open, std::string_view name, SharedAs as) {
  const Index close = list_.match[open];
  const Index body = lambda_body(list_, open);
  if (!mentions(body, list_.match[body], name)) return;
  if (mentions(open, body, name)) return;  // a parameter, or a variable of the lambda's own
  const bool by_default = open + 2 == close || list_.is(open + 2, ",");
  const bool already = list_.is(open + 1, as == SharedAs::reference ? "&" : "=");
  if (by_default && already) return;
  captures_[close].insert((as == SharedAs::reference ? "&" : "") + std::string(name));
}

bool SharedNames::is_declared_again(std::string_view name, Index first, Index at) const {
  for (Index i = first; i < at; ++i) {
    if (list_.is(i, name) && declares(i) && at < scope_end(i)) return true;
    // A parameter of a lambda.
    if (!begins_lambda(list_, i)) continue;
    const Index body = lambda_body(list_, i);
    if (body < at && at < list_.match[body] && mentions(list_.match[i], body, name)) return true;
  }
  return false;
}

/// Does the statement, or the header of one, that the name at i stands in declare it?
bool SharedNames::declares(Index i) const {
  static constexpr auto no_types = std::to_array<std::string_view>(
      {"return", "else", "case", "goto", "do", "throw", "delete", "new", "co_return", "sizeof"});
  const Index outside = enclosing(list_, i);
  // Of the whole statement, or of a header's part; kNone + 1 is 0.
  const Index first = std::max(statement_begin(list_, i), outside + 1);
  Index last = i;
  while (!list_.is(last, ";") && !list_.is(last, ":") && list_.match[last] != outside) ++last;
  if (std::find(no_types.begin(), no_types.end(), list_.view(first)) != no_types.end())
    return false;
  if (outside != kNone && list_.is(outside, "[")) {  // auto [a, b] = ...
    Index before = outside;
    while (before > 0 && (list_.is(before - 1, "&") || list_.is(before - 1, "&&"))) --before;
    return before > 0 && list_.is(before - 1, "auto");
  }
  const auto declared = split::parse_declarators(list_, first, last);
  return std::any_of(declared.begin(), declared.end(),
                     [&](const split::Declarator& declarator) { return declarator.name == i; });
}

/// Where what is declared at i ends: with its block, or with the statement whose header it is in.
Index SharedNames::scope_end(Index i) const {
  Index outside = enclosing(list_, i);
  if (outside != kNone && list_.is(outside, "[")) outside = enclosing(list_, outside);
  if (outside == kNone) return list_.size();
  const Index close = list_.match[outside];
  if (!list_.is(outside, "(") || outside == 0 || !has_header(list_.view(outside - 1))) return close;
  if (list_.is(close + 1, "{")) return list_.match[close + 1];
  return find_top_level(list_, close, list_.size(), {";"});
}

bool SharedNames::mentions(Index first, Index last, std::string_view name) const {
  for (Index i = first; i < last; ++i) {
    const bool other = i > 0 && (list_.is(i - 1, ".") || list_.is(i - 1, "->"));
    if (list_.is(i, name) && !other) return true;
  }
  return false;
}

}  // namespace simt::rewrite
