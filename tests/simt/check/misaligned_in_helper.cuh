#pragma once

#include <cuda_runtime.h>

__device__ inline float2 load_pair(const float* at) {
  return *reinterpret_cast<const float2*>(at);  // finds: misaligned
}
