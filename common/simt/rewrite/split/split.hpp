/// \file
/// Cuts a kernel at its barriers into phases. Each phase is a loop over the threads of the block
/// that the compiler can vectorise; between phases nothing needs to be switched.
///
/// It works where every barrier stands at the top level of the body or in loops and conditions that
/// are the same for all threads. Anything it does not understand is left to fibers.
#pragma once

#include <optional>

#include "../edits.hpp"
#include "variables.hpp"

namespace simt::rewrite::split {

/// The argument of `simt_launch.run_blocks(...)` for a kernel, or nothing if it cannot be split.
///
/// The result is a lambda `[=](::simt::BlockRun& simt_block, bool simt_small_grid) {...}` that runs
/// one block. It works for kernels without barriers as well.
std::optional<Pieces> split_kernel(const TokenList& list, const KernelContext& context);

}  // namespace simt::rewrite::split
