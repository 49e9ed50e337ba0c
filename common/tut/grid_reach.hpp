/// \file
/// Whether a call's grid reaches all elements of arrays that are longer than a test can run each
/// time.
#pragma once

#include <cuda_runtime.h>

#include <functional>

#include "tut/outcome.hpp"

namespace tut {

/// Starts work on arrays of so many elements.
using SizedCall = std::function<void(cudaStream_t, int)>;

/// Records `call` for up to `most` elements, of which nothing is run, so that its pointers need not
/// have the memory: whatever it launches has to be possible. A grid that stops growing at some
/// length has to go round from there on: if that is beyond `tried` elements, which other cases
/// have, and not too many to be run, `values` says whether it does, of a longer array.
Outcome grid_reach_outcome(const SizedCall& call, const std::function<Outcome(int)>& values,
                           int tried, int most = 2'000'000'000);

}  // namespace tut
