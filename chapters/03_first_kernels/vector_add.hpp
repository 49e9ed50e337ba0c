/// \file
/// c = a + b, a thread per element: the first kernel of chapter 03.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch03 {

/// c[i] = a[i] + b[i] for i = 0 .. n - 1, one thread per element.
///
/// \param a       n values in device memory; read only
/// \param b       n values in device memory; read only
/// \param c       n values in device memory; overwritten; may be a or b
/// \param n       number of elements, 0 or more
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, no shared memory; nothing for n = 0.
///
/// **Cost**: n FLOPs; 12n bytes of global memory, the least possible.
///
/// **Source**: CUDA C++ Programming Guide, "Kernels" and "Thread Hierarchy".
void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
