#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "tut/numeric/precision.hpp"

namespace tut {

/// A number of TF32: FP32's 8 bits of exponent with half's 10 of significand. It lies in memory as
/// a float whose last 13 bits are 0: tensor cores take it as it is.
class Tf32 {
 public:
  Tf32() = default;

  /// Rounds to nearest, ties away from zero, as the instruction cvt.rna.tf32.f32 does. What is
  /// beyond the largest number becomes infinity; a NaN stays one.
  __host__ __device__ explicit Tf32(float value) {
    constexpr std::uint32_t infinity = 0x7F800000u, half_of_last_place = 0x1000u;
    constexpr std::uint32_t kept = 0xFFFFE000u, quiet = 0x00400000u;
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    bits = magnitude > infinity ? bits | quiet
                                : bits + (magnitude < infinity ? half_of_last_place : 0);
    bits &= kept;
    memcpy(&value_, &bits, sizeof(bits));
  }

  __host__ __device__ operator float() const { return value_; }

 private:
  float value_;
};
static_assert(sizeof(Tf32) == sizeof(float));

template <>
struct Precision<Tf32> {
  static constexpr double rounding = 0x1p-11, underflow = 0;
  static constexpr double exact_integer = 2048;
  using Bits = std::uint32_t;
  static constexpr Bits unwritten = 0x7FD0A000, padding = 0x7FCAE000;
};

}  // namespace tut
