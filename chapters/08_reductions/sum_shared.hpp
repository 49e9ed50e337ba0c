/// \file
/// A sum by trees in shared memory, an element a thread.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "08_reductions/sum_levels.hpp"

namespace tut::ch08 {

/// out = sum of in; a block adds up 256 elements by a tree in shared memory, and a launch follows
/// on the sums of the one before it until one is left.
///
/// The order of the additions depends on the size alone: equal inputs give equal bits.
///
/// \param in       any number of elements, device memory; read only
/// \param scratch  sum_levels_scratch(in.size()) floats of device memory at least; overwritten
/// \param out      one float of device memory; overwritten; 0 for an empty input
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` for null pointers and too little scratch memory;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: log256(n) launches, rounded up; a thread for each element, blocks of 256, 1 KiB of
/// static shared memory.
///
/// **Cost**: n - 1 additions. 4n bytes read; the sums of a level, n/256, n/65536 and so on, are
/// written, a sector of 32 bytes each, and read: 3.5 % more. For each 256 elements 45 warp-wide
/// requests to shared memory and 9 barriers.
///
/// **Source**: M. Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA, 2007.
void sum_shared(std::span<const float> in, std::span<float> scratch, float* out,
                cudaStream_t stream = nullptr);

}  // namespace tut::ch08
