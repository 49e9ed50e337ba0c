/// \file
/// Which variables count up by one from each thread of a row to the next.
#pragma once

#include <vector>

#include "split/variables.hpp"

namespace simt::rewrite::split {

/// For each of `variables.all()`: is its initialiser `threadIdx.x` plus something that is the same
/// in a whole row of threads, as `blockIdx.x * blockDim.x + threadIdx.x` is, and its type an
/// integer's? The arithmetic of such an initialiser is unsigned, so the compiler must allow for its
/// wrapping round between two threads, and with it in the index of an array: it would not load
/// neighbours as a vector. Where such a variable is declared as a row's first value plus the number
/// of the thread, it will. Whether it wraps round is asked once for the block; so that every thread
/// comes to its declaration, it must stand before `first_return`.
std::vector<bool> find_linear(const TokenList& list, const Variables& variables,
                              Index first_return);

}  // namespace simt::rewrite::split
