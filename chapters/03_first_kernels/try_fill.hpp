/// \file
/// Contract of the exercise try_fill: report a launch that CUDA refuses, and leave nothing behind.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch03 {

/// Sets x[0] .. x[n - 1] to value with blocks of `threads` threads, or says why it cannot.
///
/// \param x        n values in device memory; overwritten if the launch succeeds, else unchanged
/// \param n        number of elements, at least 1
/// \param value    what every element becomes
/// \param threads  threads a block; whatever the caller likes, 0 and 4096 included
/// \param stream   stream that the work is ordered in; the call returns before the work is done
/// \return cudaSuccess, or the error of the launch (cudaErrorInvalidConfiguration for a number of
///         threads that no block can have). The error is taken, not only looked at: after the call
///         cudaGetLastError() returns cudaSuccess.
///
/// Preconditions: no error of an earlier call is pending.
///
/// Errors: none are thrown.
///
/// **Launch**: grid ⌈n/threads⌉ (1 if threads is not positive), block `threads`, no shared memory.
///
/// **Cost**: 4n bytes of global memory, the least possible.
///
/// **Source**: CUDA C++ Programming Guide, "Error Checking"; CUDA Runtime API, "Error Handling".
cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
