/// \file
/// A sum by shuffles, an element a thread.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "08_reductions/sum_levels.hpp"

namespace tut::ch08 {

/// out = sum of in, as sum_shared; but a warp adds up its 32 elements by shuffles, from register to
/// register, and only the sums of the warps go through shared memory.
///
/// \param in       any number of elements, device memory; read only
/// \param scratch  sum_levels_scratch(in.size()) floats of device memory at least; overwritten
/// \param out      one float of device memory; overwritten; 0 for an empty input
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions and errors: those of sum_shared.
///
/// **Launch**: log256(n) launches, rounded up; a thread for each element, blocks of 256, 32 bytes
/// of static shared memory.
///
/// **Cost**: the bytes of sum_shared. For each 256 elements 16 warp-wide requests to shared memory
/// and 2 barriers.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Shuffle Functions".
void sum_warp(std::span<const float> in, std::span<float> scratch, float* out,
              cudaStream_t stream = nullptr);

}  // namespace tut::ch08
