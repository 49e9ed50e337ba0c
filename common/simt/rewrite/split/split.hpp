/// \file
/// Cuts a kernel at its barriers into phases. Each phase is a loop over the threads of the block
/// that the compiler can vectorise; between phases nothing needs to be switched.
///
/// It works where every barrier stands at the top level of the body or in loops and conditions that
/// are the same for all threads. It goes by proof: what is not known to be safe is left to fibers,
/// or to a plain loop where the kernel has no barrier; and what the tokens alone do not tell, the
/// compiler confirms, by assertions on types and constants that the result carries.
#pragma once

#include <string>
#include <variant>

#include "frontend/edits.hpp"
#include "split/variables.hpp"

namespace simt::rewrite::split {

/// What stands in the way of a split.
struct Obstacle {
  Index at;
  std::string what;
};

/// The argument of `simt_launch.run_blocks(...)` for a kernel, or why it cannot be split.
///
/// The result is a lambda `[=](::simt::BlockRun& simt_block, bool simt_small_grid) {...}` that runs
/// one block. It works for kernels without barriers as well.
std::variant<Pieces, Obstacle> split_kernel(const TokenList& list, const KernelContext& context);

/// The other form of a function in which threads meet: simt_all_NAME, which runs it once for all
/// threads of a block (see simt/block_collectives.hpp); or why there is none. `overloaded`: there
/// are more functions of the name, told apart by the types of their parameters.
std::variant<Pieces, Obstacle> split_function(const TokenList& list, const KernelContext& context,
                                              const Function& function, bool overloaded);

}  // namespace simt::rewrite::split
