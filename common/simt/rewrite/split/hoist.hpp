/// \file
/// Prepares a kernel's statements so that its long loops run once for all threads of a block.
#pragma once

#include <vector>

#include "phase.hpp"

namespace simt::rewrite::split {

/// Removes the guards from the beginning of a body without barriers: `if (G) return;`, and an
/// `if (G) {...}` that is all that is left, whose statements take its place. Only declarations may
/// stand before a guard.
std::vector<Guard> take_guards(const TokenList& list, Statement& body);

/// Treats loops whose length is known only at run time as if they had barriers inside, and marks
/// those in which each thread begins at a place of its own. Returns false if there is none.
bool mark_long_loops(const TokenList& list, const KernelContext& context, Statement& body);

}  // namespace simt::rewrite::split
