#include "passes/products.hpp"

#include <algorithm>
#include <optional>

#include "passes/counted_loops.hpp"
#include "passes/passes.hpp"

namespace simt::rewrite {
namespace {

/// Reads `SUMS[i][j] += FACTORS[..][i + ..] * ROW[..][j + ..];` with the factors on either side.
class StatementReader {
 public:
  StatementReader(const TokenList& list, std::string_view outer, std::string_view inner)
      : list_(list), outer_(outer), inner_(inner) {}

  /// Adds the statement at i to the loops, and returns its end, or kNone.
  Index read(Index i, int number, ProductLoops& loops) const {
    Index at = read_sums(i, number, loops);
    if (at == kNone || !list_.is(at, "+=")) return kNone;
    ++at;
    std::string row, factors;
    if (const Index end = read_factors(at, factors); end != kNone && list_.is(end, "*")) {
      at = read_product_row(list_, end + 1, inner_, outer_, row);
    } else if (at = read_product_row(list_, at, inner_, outer_, row);
               at != kNone && list_.is(at, "*")) {
      at = read_factors(at + 1, factors);
    } else {
      return kNone;
    }
    if (at == kNone || !list_.is(at, ";") || !takes(loops.factors, factors)) return kNone;
    loops.rows.push_back(row);
    return at + 1;
  }

 private:
  bool is_index(Index open, std::string_view word) const {
    return list_.is(open, "[") && list_.is(open + 1, word) && list_.is(open + 2, "]");
  }

  /// Notes the sums or factors, which are the same in all statements.
  template <class Text>
  static bool takes(Text& noted, const Text& text) {
    if (noted.empty()) noted = text;
    return noted == text;
  }

  Index read_sums(Index i, int number, ProductLoops& loops) const {
    if (!list_.is_identifier(i) || !takes(loops.sums, list_.view(i))) return kNone;
    if (!is_index(i + 1, outer_)) return kNone;
    if (is_index(i + 4, inner_)) return i + 7;
    // Several statements have rows 0, 1 ... of the sums.
    if (!is_index(i + 4, std::to_string(number)) || !is_index(i + 7, inner_)) return kNone;
    return i + 10;
  }

  Index read_factors(Index i, std::string& factors) const {
    return read_product_row(list_, i, outer_, inner_, factors);
  }

  const TokenList& list_;
  std::string_view outer_, inner_;
};

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

  const NameOrigin sums = origin_of(list, function, loops.sums, i);
  const auto is_apart = [&](std::string_view name) {
    return name != loops.sums && origin_of(list, function, name, i) == NameOrigin::local;
  };
  const bool apart = sums != NameOrigin::unknown && is_apart(row_name(loops.factors)) &&
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
void rewrite_products(const Context& context, std::vector<Index>& found) {
  const TokenList& list = context.list;
  std::vector<Index> unrolled;
  for (const ProductLoops& loops : find_product_loops(context.source)) {
    found.push_back(loops.first);
    std::string call = " if (::simt::added_products(";
    call += std::string(list.view(loops.outer_bound)) + ", " +
            std::string(list.view(loops.inner_bound)) + ", " + std::string(loops.sums) +
            ", ::simt::product_row(" + loops.factors + ")";
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
