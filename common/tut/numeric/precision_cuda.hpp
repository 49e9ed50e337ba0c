#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tut/numeric/precision.hpp"

namespace tut {

template <>
struct Precision<__half> {
  static constexpr double rounding = 0x1p-11, underflow = 0x1p-25;
  static constexpr double exact_integer = 2048;
  using Bits = std::uint16_t;
  static constexpr Bits unwritten = 0x7ED1, padding = 0x7E2B;
};

template <>
struct Precision<__nv_bfloat16> {
  static constexpr double rounding = 0x1p-8, underflow = 0;
  static constexpr double exact_integer = 256;
  using Bits = std::uint16_t;
  static constexpr Bits unwritten = 0x7FD1, padding = 0x7FCB;
};

}  // namespace tut
