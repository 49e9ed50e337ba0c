/// \file
/// Where the variables of a split kernel lie, and what they are called there.
#pragma once

#include "split/variables.hpp"

namespace simt::rewrite::split {

/// Appends `simt_type_NAME`: what an element of a variable's array is.
void declare_type(const TokenList& list, const Variable& variable, Pieces& out);

/// Appends that, and `simt_all_NAME`: the array, with an element for each thread of the block.
void declare_storage(const TokenList& list, const Variables& variables, const Variable& variable,
                     Pieces& out);

/// The same of a parameter that nothing changes: the caller's array, if its elements are of the
/// parameter's type.
void declare_lent(const TokenList& list, const Variables& variables, const Variable& variable,
                  Pieces& out);

/// Appends that the parameter's argument is what it is, or converted without an effect.
void confirm_given(const Variable& variable, Pieces& out);

/// Where a variable has another name than in the source: the rest of it behind each mention.
Pieces with_names(const Variables& variables, Pieces pieces);

}  // namespace simt::rewrite::split
