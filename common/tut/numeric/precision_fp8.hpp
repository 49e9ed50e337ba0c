#pragma once

#include <cuda_fp8.h>

#include "tut/numeric/precision_cuda.hpp"

namespace tut {

// E4M3 has two NaNs, and arithmetic makes the positive one.
template <>
struct Precision<__nv_fp8_e4m3> {
  static constexpr double rounding = 0x1p-4, underflow = 0x1p-10;
  static constexpr double exact_integer = 16;
  using Bits = std::uint8_t;
  static constexpr Bits unwritten = 0xFF, padding = 0x7F;
};

template <>
struct Precision<__nv_fp8_e5m2> {
  static constexpr double rounding = 0x1p-3, underflow = 0x1p-17;
  static constexpr double exact_integer = 8;
  using Bits = std::uint8_t;
  static constexpr Bits unwritten = 0xFE, padding = 0x7E;
};

}  // namespace tut
