/// \file
/// Contract of the exercise abs_max: the largest absolute value of every 256 elements.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch06 {

/// maxima[b] is the largest |x[i]| of block b of x: elements 256 b to 256 b + 255, as far as there
/// are. Values of any size count, even the very smallest that a float can hold; infinity is the
/// largest. All in one launch, and none for n = 0.
///
/// This is how the scale of a block of numbers is found that are to be stored in few bits (chapter
/// 17).
///
/// \param x       n values in device memory, none of them NaN; read only
/// \param n       number of elements, 0 to 10⁹
/// \param maxima  ⌈n/256⌉ values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: maxima does not overlap x.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, 1 KiB of static shared memory.
///
/// **Cost**: n comparisons; 4n bytes of global memory, and a sector of 32 bytes a block for its
/// maximum; no shared memory bank conflicts.
///
/// **Source**: M. Harris, *Optimizing Parallel Reduction in CUDA*, NVIDIA, 2007.
void abs_max(const float* x, int n, float* maxima, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
