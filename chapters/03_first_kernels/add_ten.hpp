/// \file
/// Contract of the exercise add_ten: a thread adds 10 to an element.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch03 {

/// Adds 10 to every x[i], i = 0 .. n - 1, in one launch.
///
/// \param x       n values in device memory; updated in place
/// \param n       number of elements, 0 or more
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, no shared memory; nothing for n = 0.
///
/// **Cost**: n FLOPs; 8n bytes of global memory, the least possible.
///
/// **Source**: CUDA C++ Programming Guide, "Kernels" and "Thread Hierarchy".
void add_ten(float* x, int n, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
