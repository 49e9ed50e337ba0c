/// \file
/// Prepares a kernel's statements so that its long loops run once for all threads of a block.
#pragma once

#include <vector>

#include "split/phase.hpp"

namespace simt::rewrite::split {

/// Removes the guards from the beginning of a body without barriers: `if (G) return;`, and an
/// `if (G) {...}` that is all that is left, whose statements take its place. Only declarations may
/// stand before a guard.
std::vector<Guard> take_guards(const TokenList& list, Statement& body);

/// Treats loops whose length is known only at run time as if they had barriers inside, and marks
/// those in which each thread begins at a place of its own. Returns false if there is none.
bool mark_long_loops(const TokenList& list, const KernelContext& context, Statement& body);

/// Marks loops around calls in which the threads of a warp meet, and where each thread begins at a
/// place of its own.
void mark_loops_of_warps(const TokenList& list, Statement& body);

/// Marks each `if (C) return;` of a kernel's own body behind which threads meet.
void mark_leaving(Statement& body);

/// Makes `if (C) for (...; A; ...)` of each loop `for (...; A && C; ...)` in which threads of a
/// warp meet and where C is the name of a constant.
void lift_conditions(const TokenList& list, const CollectiveNames& names, Statement& body);

/// Makes `if (C) {...; return;} else {REST}` of each `if (C) {...; return;} REST` in a function.
void nest_behind_returns(Statement& body);

}  // namespace simt::rewrite::split
