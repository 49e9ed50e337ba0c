/// \file
/// What the passes that make vectors of loops go by: loops that count from 0, and where the arrays
/// in them come from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/source.hpp"

namespace simt::rewrite {

/// `for (int NAME = 0; NAME < BOUND; ++NAME)`, and what it runs.
struct CountedLoop {
  std::string_view variable;
  Index bound = kNone;
  Index first = kNone, last = kNone;            ///< of the whole loop
  Index body_first = kNone, body_last = kNone;  ///< without the braces around it
};

bool is_whole_number(const TokenList& list, Index i);

/// Is it `#pragma unroll`?
bool is_unroll(const TokenList& list, Index i);

/// Skips `#pragma unroll`.
Index past_pragma(const TokenList& list, Index i);

/// The header of a loop at the `for` at i; not what it runs.
std::optional<CountedLoop> read_header(const TokenList& list, Index i);

/// The loop at the `for` at i, which ends before `last`.
std::optional<CountedLoop> read_loop(const TokenList& list, Index i, Index last);

/// An array of the function's own, a parameter, or something else.
enum class NameOrigin { unknown, local, parameter };

/// Where a name comes from, at token `use` of a function.
NameOrigin origin_of(const TokenList& list, const Function& function, std::string_view name,
                     Index use);

/// Is a name, at token `use`, that of a variable of the function's own that is no reference,
/// pointer or array: one that is declared as `TYPE NAME = ...`, once?
bool is_local_value(const TokenList& list, const Function& function, std::string_view name,
                    Index use);

/// `ROW[a][j + b]` or `ROW[j + b]` at i, with the loop's variable `inner` for j and without
/// `outer`: sets `row` to `ROW, ::simt::product_index(a), ::simt::product_index(b)`, the arguments
/// of `product_row`, and returns its end; or returns kNone.
Index read_product_row(const TokenList& list, Index i, std::string_view inner,
                       std::string_view outer, std::string& row);

/// The ROW of such arguments.
std::string_view row_name(const std::string& row);

/// Can a statement that begins with `if` stand at i, as far as an `else` behind it goes?
bool begins_statement(const TokenList& list, Index i);

/// Has the function names of its own that declarators do not tell: of members, or of structured
/// bindings?
bool has_other_names(const TokenList& list, const Function& function);

}  // namespace simt::rewrite
