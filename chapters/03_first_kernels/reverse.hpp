/// \file
/// Contract of the exercise reverse: an array turned round in place, each element by one thread.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch03 {

/// Reverses x in place, in one launch: afterwards x[i] holds what x[n - 1 - i] held, and a -0 is
/// still a -0. For n < 2 nothing is launched.
///
/// The threads of a launch run in no fixed order, so no two of them may touch the same element.
///
/// \param x       n values in device memory; updated
/// \param n       number of elements, 0 to 10⁹
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈⌊n/2⌋/256⌉, block 256, no shared memory; nothing for n < 2. Blocks for the
/// second half of x, which find nothing to do, do no harm.
///
/// **Cost**: 8n bytes of global memory, the least possible.
///
/// **Source**: CUDA C++ Programming Guide, "Thread Hierarchy".
void reverse(float* x, int n, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
