/// \file
/// A kernel's statements as the split takes them.
#pragma once

#include <vector>

#include "split/hoist.hpp"

namespace simt::rewrite::split {

/// The body of a kernel or function, its guards taken into `guards`, its calls in which threads
/// meet and the loops around them marked. With `hoist`, loops of run-time length that are the same
/// for all threads count as if they had barriers inside. Throws NotSplittable.
Statement prepared_body(const TokenList& list, const KernelContext& context, bool hoist,
                        std::vector<Guard>& guards);

/// Where a thread may first end before others.
Index first_return(const Statement& s);

}  // namespace simt::rewrite::split
