// Loops that add several products to each of a row of sums:
// `sums[j] += x * window[j]; sums[j] += y * window[j + 1];`, in device code. The statements of an
// element have an order, elements have none: the loop runs as one vector for each statement.
#include <algorithm>
#include <optional>
#include <string>

#include "passes/counted_loops.hpp"
#include "passes/passes.hpp"
#include "passes/products.hpp"

namespace simt::rewrite {
namespace {

class RowReader {
 public:
  RowReader(const TokenList& list, const Function& function, const CountedLoop& loop)
      : list_(list), function_(function), loop_(loop) {}

  /// The arguments of `added_rows` for the loop, if it is of the form.
  std::optional<std::string> read() {
    for (Index at = loop_.body_first; at < loop_.body_last;) {
      at = read_statement(at);
      if (at == kNone) return {};
    }
    if (sums_.empty()) return {};
    return std::string(list_.view(loop_.bound)) + ", " + sums_ + terms_;
  }

 private:
  Index read_statement(Index i) {
    Index at = read_sums(i);
    if (at == kNone || !list_.is(at, "+=")) return kNone;
    ++at;
    std::string factor, row;
    if (const Index end = read_factor(at, factor); end != kNone && list_.is(end, "*")) {
      at = read_row(end + 1, row);
    } else if (at = read_row(at, row); at != kNone && list_.is(at, "*")) {
      at = read_factor(at + 1, factor);
    } else {
      return kNone;
    }
    if (at == kNone || !list_.is(at, ";")) return kNone;
    terms_ += ", ::simt::row_term<" + factor + ", ::simt::product_row(" + row + "))";
    return at + 1;
  }

  /// `SUMS[j]` or `SUMS[i][j]`, the same in all statements.
  Index read_sums(Index i) {
    if (!list_.is_identifier(i)) return kNone;
    if (origin_of(list_, function_, list_.view(i), loop_.first) == NameOrigin::unknown)
      return kNone;
    std::string text(list_.view(i));
    Index at = i + 1;
    if (is_index(at) && list_.is(at + 3, "[") && !list_.is(at + 1, loop_.variable)) {
      text += "[" + std::string(list_.view(at + 1)) + "]";
      at += 3;
    }
    if (!is_index(at) || !list_.is(at + 1, loop_.variable)) return kNone;
    if (sums_.empty()) sums_ = text, name_ = list_.view(i);
    return text == sums_ ? at + 3 : kNone;
  }

  bool is_index(Index open) const {
    return list_.is(open, "[") && list_.is(open + 2, "]") &&
           (list_.is_identifier(open + 1) || is_whole_number(list_, open + 1));
  }

  /// `NAME` or `NAME.MEMBER`, a value of the function's own: appends what `row_term` begins with.
  Index read_factor(Index i, std::string& factor) const {
    if (!list_.is_identifier(i) || list_.is(i, loop_.variable)) return kNone;
    if (!is_local_value(list_, function_, list_.view(i), loop_.first)) return kNone;
    std::string text(list_.view(i));
    const bool has_member = list_.is(i + 1, ".") && list_.is_identifier(i + 2);
    if (has_member) text += "." + std::string(list_.view(i + 2));
    factor = "decltype(" + std::string(list_.view(i)) + "), decltype(" + text + ")>(" + text;
    return has_member ? i + 3 : i + 1;
  }

  Index read_row(Index i, std::string& row) const {
    const Index end = read_product_row(list_, i, loop_.variable, {}, row);
    if (end == kNone || row_name(row) == name_) return kNone;
    const NameOrigin origin = origin_of(list_, function_, row_name(row), loop_.first);
    return origin == NameOrigin::local ? end : kNone;
  }

  const TokenList& list_;
  const Function& function_;
  const CountedLoop& loop_;
  std::string sums_, terms_;
  std::string_view name_;
};

}  // namespace

/// Puts before such a loop a call that does the same, if types are what they seem to be.
void rewrite_row_products(const Context& context, std::vector<Index>& found) {
  const TokenList& list = context.list;
  const std::vector<ProductLoops> nests = find_product_loops(context.source);
  for (const Function& function : context.source.functions) {
    const Specifiers& words = function.specifiers;
    if (!function.has_body() || words.is_constexpr || !(words.device || words.global)) continue;
    if (has_other_names(list, function)) continue;
    for (Index i = function.body_open + 1; i < function.body_close; ++i) {
      if (!list.is(i, "for")) continue;
      const std::optional<CountedLoop> loop = read_loop(list, i, function.body_close);
      const bool of_nest = std::any_of(nests.begin(), nests.end(), [&](const ProductLoops& nest) {
        return nest.first <= i && i < nest.last;
      });
      const Index first = is_unroll(list, i - 1) ? i - 1 : i;
      if (!loop || of_nest || !begins_statement(list, first)) continue;
      const auto arguments = RowReader(list, function, *loop).read();
      if (!arguments) continue;
      found.push_back(first);
      context.edits.insert_before(first, " if (::simt::added_rows(" + *arguments + ")) {} else ");
      i = loop->last - 1;
    }
  }
}

}  // namespace simt::rewrite
