/// \file
/// Four neighbouring floats, in one access where they lie at a multiple of 16 bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tut::ch08 {

inline bool is_float4_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

//! [load_four]
template <bool ALIGNED>
__device__ inline float4 load_four(const float* from) {
  if constexpr (ALIGNED) {
    return *reinterpret_cast<const float4*>(from);
  } else {
    return make_float4(from[0], from[1], from[2], from[3]);
  }
}
//! [load_four]

}  // namespace tut::ch08
