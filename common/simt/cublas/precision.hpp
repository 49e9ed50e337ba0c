/// @file
/// How elements enter and leave a product: the type they are stored in, the type they are summed
/// in, and what rounds between.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace simt::cublas {

/// What a tensor core makes of a single-precision input before it multiplies.
enum class InputRounding { kNone, kTf32, kHalf, kBfloat16 };

/// x with 10 explicit mantissa bits, ties away from zero, as cvt.rna.tf32 has it.
inline float to_tf32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7F800000u) == 0x7F800000u) return x;
  return std::bit_cast<float>((bits + 0x1000u) & ~0x1FFFu);
}

inline float rounded_input(float x, InputRounding rounding) {
  switch (rounding) {
    case InputRounding::kTf32:
      return to_tf32(x);
    case InputRounding::kHalf:
      return __half2float(__float2half_rn(x));
    case InputRounding::kBfloat16:
      return __bfloat162float(__float2bfloat16_rn(x));
    case InputRounding::kNone:
      break;
  }
  return x;
}

template <class To, class From>
To convert(From x) {
  return static_cast<To>(x);
}
template <class To>
To convert(__half x) {
  return static_cast<To>(__half2float(x));
}
template <class To>
To convert(__nv_bfloat16 x) {
  return static_cast<To>(__bfloat162float(x));
}

}  // namespace simt::cublas
