/// \file
/// What the current device's tensor cores can multiply.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>
#include <type_traits>

#include "tut/device/compute_capability.hpp"
#include "tut/numeric/tf32.hpp"

namespace tut {

/// The least compute capability whose tensor cores multiply T: 7.0 for half, 8.0 for bfloat16
/// and TF32.
template <class T>
inline constexpr int least_capability = std::is_same_v<T, __half> ? 70 : 80;

/// Throws std::runtime_error where a device of this compute capability cannot multiply T.
template <class T>
void require_tensor_cores(const char* name, int capability = compute_capability()) {
  const char* type = std::is_same_v<T, __half> ? " in half"
                     : std::is_same_v<T, Tf32> ? " in TF32"
                                               : " in bfloat16";
  require_compute_capability(least_capability<T>, std::string(name) + type, capability);
}

}  // namespace tut
