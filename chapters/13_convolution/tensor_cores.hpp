/// \file
/// What the current device's tensor cores can multiply.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>
#include <type_traits>

#include "tut/compute_capability.hpp"

namespace tut::ch13 {

/// Throws std::runtime_error where the device's tensor cores cannot multiply T: half takes compute
/// capability 7.0, bfloat16 8.0.
template <class T>
void require_tensor_cores(const char* name, int capability = compute_capability()) {
  constexpr bool is_half = std::is_same_v<T, __half>;
  require_compute_capability(
      is_half ? 70 : 80, std::string(name) + (is_half ? " in half" : " in bfloat16"), capability);
}

}  // namespace tut::ch13
