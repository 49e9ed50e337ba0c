/// \file
/// How the other form of a function is declared, which runs it once for all threads of a block.
#pragma once

#include <vector>

#include "split/variables.hpp"

namespace simt::rewrite::split {

/// Which parameters of a function get addresses there, one for each thread, because they are
/// references.
std::vector<bool> reference_parameters(const TokenList& list, const Function& function);

/// Which take an argument that is the same for all threads, as a simt::SameForAll.
std::vector<bool> shared_argument_parameters(const TokenList& list, const Function& function);

/// The declaration of simt_all_NAME, up to the type `simt_returned` in its body, which is open
/// then; see split_function(). Throws NotSplittable where the function's result or a parameter is
/// of a form that has none.
Pieces form_head(const TokenList& list, const KernelContext& context, const Function& function,
                 bool overloaded);

}  // namespace simt::rewrite::split
