#include "passes/products.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

/// `for (int NAME = 0; NAME < BOUND; ++NAME)`, and what it runs.
struct CountedLoop {
  std::string_view variable;
  Index bound = kNone;
  Index first = kNone, last = kNone;            ///< of the whole loop
  Index body_first = kNone, body_last = kNone;  ///< without the braces around it
};

bool is_whole_number(const TokenList& list, Index i) {
  if (i >= list.size() || list[i].kind != TokenKind::number) return false;
  const std::string_view digits = list.view(i);
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_unroll(const TokenList& list, Index i) {
  return list[i].kind == TokenKind::directive &&
         list.view(i).find("unroll") != std::string_view::npos;
}

/// Skips `#pragma unroll`.
Index past_pragma(const TokenList& list, Index i) { return is_unroll(list, i) ? i + 1 : i; }

/// The end of the statement at i, which begins no block, or kNone.
Index statement_end(const TokenList& list, Index i, Index last) {
  for (; i < last; ++i) {
    if (list.is(i, ";")) return i + 1;
    if (list.is(i, "{") || list.is(i, "}")) return kNone;
    if (list.match[i] != kNone && list.match[i] > i) i = list.match[i];
  }
  return kNone;
}

/// The header of a loop at the `for` at i; not what it runs.
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

enum class Origin { unknown, local, parameter };

/// Where a name comes from, at token `use` of a function.
Origin origin_of(const TokenList& list, const Function& function, std::string_view name,
                 Index use) {
  Index declared = kNone;
  for (Index i = function.body_open + 1; i < use; ++i) {
    if (!list.is(i, name)) continue;
    const bool listed = list.is(i - 1, ",") && is_local_array(list, function.body_open, i);
    if (!listed && !declares(list, i)) continue;
    if (declared != kNone) return Origin::unknown;
    declared = i;
  }
  for (Index i = function.params_open + 1; i < function.params_close; ++i) {
    if (!list.is(i, name)) continue;
    return declared == kNone ? Origin::parameter : Origin::unknown;
  }
  if (declared == kNone) return Origin::unknown;
  return is_local_array(list, function.body_open, declared) ? Origin::local : Origin::unknown;
}

/// Reads `SUMS[i][j] += FACTORS[i] * ROW[..][j + ..];` with the factors on either side.
class StatementReader {
 public:
  StatementReader(const TokenList& list, std::string_view outer, std::string_view inner)
      : list_(list), outer_(outer), inner_(inner) {}

  /// Adds the statement at i to the loops, and returns its end, or kNone.
  Index read(Index i, int number, ProductLoops& loops) const {
    Index at = read_sums(i, number, loops);
    if (at == kNone || !list_.is(at, "+=")) return kNone;
    ++at;
    std::string row;
    if (const Index end = read_factor(at, loops); end != kNone && list_.is(end, "*")) {
      at = read_row(end + 1, row);
    } else if (at = read_row(at, row); at != kNone && list_.is(at, "*")) {
      at = read_factor(at + 1, loops);
    } else {
      return kNone;
    }
    if (at == kNone || !list_.is(at, ";")) return kNone;
    loops.rows.push_back(row);
    return at + 1;
  }

 private:
  bool is_index(Index open, std::string_view word) const {
    return list_.is(open, "[") && list_.is(open + 1, word) && list_.is(open + 2, "]");
  }

  static bool takes(std::string_view& noted, std::string_view name) {
    if (noted.empty()) noted = name;
    return noted == name;
  }

  Index read_sums(Index i, int number, ProductLoops& loops) const {
    if (!list_.is_identifier(i) || !takes(loops.sums, list_.view(i))) return kNone;
    if (!is_index(i + 1, outer_)) return kNone;
    if (is_index(i + 4, inner_)) return i + 7;
    // Several statements have rows 0, 1 ... of the sums.
    if (!is_index(i + 4, std::to_string(number)) || !is_index(i + 7, inner_)) return kNone;
    return i + 10;
  }

  Index read_factor(Index i, ProductLoops& loops) const {
    if (!list_.is_identifier(i) || !is_index(i + 1, outer_)) return kNone;
    return takes(loops.factors, list_.view(i)) ? i + 4 : kNone;
  }

  /// `ROW[a][j + b]`: appends `ROW, ::simt::product_index(a), ::simt::product_index(b)`.
  Index read_row(Index i, std::string& row) const {
    if (!list_.is_identifier(i) || !list_.is(i + 1, "[")) return kNone;
    row = std::string(list_.view(i));
    Index open = i + 1;
    if (list_.is(list_.match[open] + 1, "[")) {
      std::string parts;
      if (!read_sum(open, false, parts)) return kNone;
      row += ", ::simt::product_index(" + parts + ")";
      open = list_.match[open] + 1;
    }
    std::string parts;
    if (!read_sum(open, true, parts)) return kNone;
    row += ", ::simt::product_index(" + parts + ")";
    return list_.match[open] + 1;
  }

  /// The terms of `[a + b]`, without the inner variable, which is one of them or is not.
  bool read_sum(Index open, bool has_inner, std::string& parts) const {
    bool found = false;
    for (Index i = open + 1; i < list_.match[open]; i += 2) {
      const std::string_view word = list_.view(i);
      if (!list_.is_identifier(i) && !is_whole_number(list_, i)) return false;
      if (i + 1 != list_.match[open] && !list_.is(i + 1, "+")) return false;
      if (word == outer_ || (word == inner_ && (found || !has_inner))) return false;
      if (word == inner_) {
        found = true;
        continue;
      }
      parts += (parts.empty() ? "" : ", ") + std::string(word);
    }
    return found == has_inner && !list_.is(list_.match[open] - 1, "+");
  }

  const TokenList& list_;
  std::string_view outer_, inner_;
};

/// Can a statement that begins with `if` stand at i, as far as an `else` behind it goes?
bool begins_statement(const TokenList& list, Index i) {
  const std::string_view before = list.view(i - 1);
  if (before == ")") {
    const Index open = list.match[i - 1];
    return open != kNone && list.is(open - 1, "for");
  }
  return before == ";" || before == "{" || before == "}";
}

/// Has the function names of its own that declarators do not tell: of members, or of structured
/// bindings?
bool has_other_names(const TokenList& list, const Function& function) {
  for (Index i = function.body_open + 1; i < function.body_close; ++i) {
    if (list.is(i, "struct") || list.is(i, "class") || list.is(i, "union")) return true;
    if (!list.is(i, "auto")) continue;
    const bool reference = list.is(i + 1, "&") || list.is(i + 1, "&&");
    if (list.is(reference ? i + 2 : i + 1, "[")) return true;
  }
  return false;
}

std::string_view row_name(const std::string& row) {
  return std::string_view(row).substr(0, row.find(','));
}

std::optional<ProductLoops> read_products(const TokenList& list, const Function& function,
                                          Index i) {
  const std::optional<CountedLoop> outer = read_loop(list, i, function.body_close);
  if (!outer) return {};
  const Index nested = past_pragma(list, outer->body_first);
  const std::optional<CountedLoop> inner = read_loop(list, nested, outer->body_last);
  if (!inner || inner->last != outer->body_last || inner->variable == outer->variable) return {};
  ProductLoops loops;
  const StatementReader reader(list, outer->variable, inner->variable);
  Index at = inner->body_first;
  while (at != kNone && at < inner->body_last) {
    at = reader.read(at, static_cast<int>(loops.rows.size()), loops);
  }
  if (at == kNone || loops.rows.empty() || has_other_names(list, function)) return {};

  const Origin sums = origin_of(list, function, loops.sums, i);
  const auto is_apart = [&](std::string_view name) {
    return name != loops.sums && origin_of(list, function, name, i) == Origin::local;
  };
  const bool apart = sums != Origin::unknown && is_apart(loops.factors) &&
                     std::all_of(loops.rows.begin(), loops.rows.end(),
                                 [&](const std::string& row) { return is_apart(row_name(row)); });
  loops.first = is_unroll(list, i - 1) ? i - 1 : i;
  if (!apart || !begins_statement(list, loops.first)) return {};
  loops.last = outer->last;
  loops.outer_bound = outer->bound;
  loops.inner_bound = inner->bound;
  return loops;
}

/// Is the loop's bound one that the function does not compute?
bool has_constant_bound(const TokenList& list, const Function& function, const CountedLoop& loop) {
  if (is_whole_number(list, loop.bound)) return true;
  const std::string_view name = list.view(loop.bound);
  for (Index i = function.params_open + 1; i < loop.first; ++i) {
    if (list.is(i, name) && i > function.body_open && list.is(i + 1, "=")) {
      Index k = i;
      while (k > function.body_open && !list.is(k, ";") && !list.is(k, "{")) --k;
      if (!list.is(k + 1, "constexpr")) return false;
    } else if (list.is(i, name) && i < function.params_close) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<ProductLoops> find_product_loops(const Source& source) {
  const TokenList& list = *source.list;
  std::vector<ProductLoops> found;
  for (const Function& function : source.functions) {
    const Specifiers& words = function.specifiers;
    if (!function.has_body() || words.is_constexpr || !(words.device || words.global)) continue;
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (!list.is(i, "for")) continue;
      std::optional<ProductLoops> loops = read_products(list, function, i);
      if (!loops) continue;
      i = loops->last - 1;
      found.push_back(*std::move(loops));
    }
  }
  return found;
}

std::vector<Index> find_unrolled_around(const Source& source, const ProductLoops& loops) {
  const TokenList& list = *source.list;
  std::vector<Index> found;
  const Function* function = enclosing_function(source, loops.first);
  if (function == nullptr) return found;
  for (Index i = function->body_open + 1; i < loops.first; ++i) {
    const std::optional<CountedLoop> loop = read_header(list, i);
    if (!loop || !list.is(loop->body_first, "{") || !is_unroll(list, i - 1)) continue;
    const std::string_view pragma = list.view(i - 1);
    if (!pragma.ends_with("unroll") || list.match[loop->body_first] < loops.last) continue;
    if (has_constant_bound(list, *function, *loop)) found.push_back(i);
  }
  return found;
}

/// Puts before the loops a call that does the same, if types are what they seem to be.
void rewrite_products(const Context& context) {
  const TokenList& list = context.list;
  std::vector<Index> unrolled;
  for (const ProductLoops& loops : find_product_loops(context.source)) {
    std::string call = " if (::simt::added_products(";
    call += std::string(list.view(loops.outer_bound)) + ", " +
            std::string(list.view(loops.inner_bound)) + ", " + std::string(loops.sums) + ", " +
            std::string(loops.factors);
    for (const std::string& row : loops.rows) call += ", ::simt::product_row(" + row + ")";
    context.edits.insert_before(loops.first, call + ")) {} else ");
    for (const Index loop : find_unrolled_around(context.source, loops)) {
      if (std::find(unrolled.begin(), unrolled.end(), loop) != unrolled.end()) continue;
      unrolled.push_back(loop);
      context.edits.insert_before(loop, "\n#pragma GCC unroll 8\n");
    }
  }
}

}  // namespace simt::rewrite
