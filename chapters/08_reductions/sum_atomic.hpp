/// \file
/// A sum by one atomic operation an element: the step that the chapter starts from.
#pragma once

#include <cuda_runtime.h>

#include <span>

namespace tut::ch08 {

/// out = sum of in; every thread adds its element to the one result.
///
/// The order of the additions is whatever the atomics happen to arrive in, and so are the last
/// bits.
///
/// \param in      any number of elements, device memory; read only
/// \param out     one float of device memory; overwritten; 0 for an empty input
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` for null pointers; `tut::CudaError` if the launch fails.
///
/// **Launch**: a thread for each element, blocks of 256.
///
/// **Cost**: n additions, each an atomic at one address; 4n bytes read.
///
/// **Source**: CUDA C++ Programming Guide, "Atomic Functions".
void sum_atomic(std::span<const float> in, float* out, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
