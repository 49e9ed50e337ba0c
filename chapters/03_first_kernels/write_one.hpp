/// \file
/// A kernel with an invalid memory access, to show how the error is reported: chapter 03.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch03 {

/// Launches one thread that writes through `target`. With a null pointer the launch succeeds, the
/// kernel fails later, and from then on every CUDA call of this process fails.
///
/// \param target  one int in device memory, or a null pointer to provoke the error
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `tut::CudaError` if the launch fails, which a null pointer does not cause.
///
/// **Launch**: grid 1, block 1, no shared memory.
///
/// **Cost**: 4 bytes of global memory.
///
/// **Source**: CUDA C++ Programming Guide, "Error Checking"; CUDA Runtime API, cudaError
/// (cudaErrorIllegalAddress).
void write_one(int* target, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
