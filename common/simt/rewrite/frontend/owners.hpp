/// \file
/// Whose code each token is: what runs only where a name leads to it, and what may run anywhere.
#pragma once

#include <vector>

#include "frontend/source.hpp"

namespace simt::rewrite {

/// Whose token it is, if no function of a name's own.
constexpr Index kNobody = kNone, kKernel = kNone - 1, kHost = kNone - 2;

/// For each token the function, by its number, to which it belongs: one of a namespace, which is
/// reached by its name alone; else one of the three above.
std::vector<Index> code_owners(const Source& source);

}  // namespace simt::rewrite
