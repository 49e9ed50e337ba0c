/// \file
/// CUB's sum, the rival in the benchmark. Part of builds for CUDA, whose toolkit has it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

namespace tut::ch08 {

/// Bytes of scratch memory that cub_sum needs.
std::size_t cub_sum_scratch(std::size_t size);

/// out = sum of in by cub::DeviceReduce::Sum. Throws CudaError.
void cub_sum(std::span<const float> in, std::span<std::byte> scratch, float* out,
             cudaStream_t stream = nullptr);

}  // namespace tut::ch08
