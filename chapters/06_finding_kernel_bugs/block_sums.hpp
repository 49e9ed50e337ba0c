/// \file
/// The chapter's example: sums of 256 elements by a tree in shared memory, in three versions.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch06 {

/// sums[b] is the sum of block b of x: elements 256 b to 256 b + 255, as far as there are.
///
/// In eight rounds the upper half of what is left adds the lower half to itself: the sum of a block
/// ends in its last element.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 or more
/// \param sums    ⌈n/256⌉ values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: sums does not overlap x.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, 1 KiB of static shared memory; nothing for n = 0.
///
/// **Cost**: n FLOPs; 4n bytes of global memory, and a sector of 32 bytes a block for its sum; no
/// shared memory bank conflicts.
///
/// **Source**: M. Harris, *Optimizing Parallel Reduction in CUDA*, NVIDIA, 2007.
void block_sums(const float* x, int n, float* sums, cudaStream_t stream = nullptr);

/// The same with a bug: the last rounds, for which one warp is enough, have no barriers, as if the
/// lanes of a warp ran in step.
void block_sums_in_step(const float* x, int n, float* sums, cudaStream_t stream = nullptr);

/// The same, right and slow: each round adds neighbours, so that the threads of a warp use words
/// that lie 2, 4, 8, ... apart, in ever fewer banks.
void block_sums_by_neighbours(const float* x, int n, float* sums, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
