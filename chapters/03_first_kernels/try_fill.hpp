/// \file
/// Contract of the exercise try_fill: report a launch that CUDA refuses, and leave nothing behind.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch03 {

/// Sets x[0] .. x[n - 1] to value in one launch of ⌈n/threads⌉ blocks of `threads` threads, or
/// returns the error for which this is impossible. Where no block can have that many threads, the
/// launch may be left out, as long as the error is returned.
///
/// \param x        n values in device memory; overwritten if the launch succeeds, else unchanged
/// \param n        number of elements, 1 to 10⁹
/// \param value    what every element becomes
/// \param threads  threads a block; whatever the caller likes, 0 and 4096 included
/// \param stream   stream that the work is ordered in; the call returns before the work is done,
///                 and waits for nothing where the launch is refused
/// \return cudaSuccess, or the error of the launch: for a number of threads that no block can have
///         CUDA 13 says cudaErrorInvalidValue, and versions before said
///         cudaErrorInvalidConfiguration; either will do. The error is taken, not only looked at:
///         after the call cudaGetLastError() returns cudaSuccess.
///
/// Preconditions: no error of an earlier call is pending.
///
/// Errors: none are thrown.
///
/// **Launch**: grid ⌈n/threads⌉ (1 if threads is not positive), block `threads`, no shared memory.
///
/// **Cost**: 4n bytes of global memory, the least possible: x is not read.
///
/// **Source**: CUDA C++ Programming Guide, "Error Checking"; CUDA Runtime API, "Error Handling".
cudaError_t try_fill(float* x, int n, float value, int threads, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
