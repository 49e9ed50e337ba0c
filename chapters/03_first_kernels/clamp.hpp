/// \file
/// Contract of the exercise clamp: a grid-stride loop that leaves nothing out.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tut::ch03 {

/// Moves every x[i] into lo .. hi: to lo if it is below, to hi if it is above. NaN stays NaN. It is
/// one launch of `blocks` blocks of 256 threads; for n = 0 there is none.
///
/// \param x       n values in device memory; updated in place
/// \param n       number of elements, 0 or more
/// \param lo      least value of the result, not above hi; not NaN
/// \param hi      greatest value of the result; not NaN
/// \param blocks  blocks to launch, 1 to 2³¹ - 1, the most that a grid can have; the result must be
///                right for any number of blocks with any n
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if n is negative, blocks below 1 or lo above hi, whatever n is;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid `blocks`, block 256, no shared memory; nothing for n = 0.
///
/// **Cost**: 8n bytes of global memory, the least possible where every element changes. The check
/// allows twice as many: a kernel that compares with lo and with hi one after the other may read
/// and write an element for each of them, since it is in a cache by then.
///
/// **Source**: M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops", NVIDIA
/// Technical Blog, 2013.
void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
