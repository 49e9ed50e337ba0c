/// \file
/// Contract of the exercise upload: ordinary host memory copied to the device through pinned
/// buffers.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tut::ch06 {

/// Copies n values from ordinary host memory to the device through two pinned buffers.
///
/// Only pinned memory can be copied while the host goes on. The host fills one buffer while the
/// other is being copied to the device, and issues the next copy before it waits for the earlier
/// one, so that the bus always has something to do (chapter 15).
///
/// \param host    n values in host memory; read only
/// \param n       number of values, 0 to 10⁹
/// \param x       n values in device memory; overwritten in `stream`'s order
/// \param stream  stream of the copies; when the call returns they are done
///
/// Errors: `tut::CudaError` if a call of CUDA's fails.
///
/// **Launch**: no kernel; ⌈n/4096⌉ copies.
///
/// **Cost**: 4n bytes over the bus, and 4n read and written on the host; 32 KiB of pinned memory,
/// which the call allocates and frees.
///
/// **Source**: CUDA C++ Best Practices Guide, "Pinned Memory", "Asynchronous and Overlapping
/// Transfers with Computation".
void upload(const float* host, std::size_t n, float* x, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
