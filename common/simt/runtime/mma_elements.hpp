// What the elements of factors are in registers and in memory, and what they are multiplied as; for
// files that are compiled for this very processor. What is in here is each file's own: an inline
// function might be taken by the linker for other parts of the program.
#pragma once

#include <cstdint>

#include "simt/wmma/runtime.hpp"

namespace simt::ptx {
namespace {

float as_float(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
std::uint32_t as_bits(float value) { return __builtin_bit_cast(std::uint32_t, value); }

// E4M3 has no infinities; E5M2 is the upper half of a number in half precision.
float widen_e4m3(std::uint8_t bits) {
  const std::uint32_t sign = (bits & 0x80u) << 24;
  const std::uint32_t magnitude = bits & 0x7Fu;
  if (magnitude == 0x7F) return as_float(0x7FFFFFFFu);
  return as_float(as_bits(as_float(magnitude << 20) * 0x1p120f) | sign);
}

// How elements of a factor are stored in registers, and what they are multiplied as.

struct Half {
  using Stored = std::uint16_t;
  using Wide = float;
  static constexpr int kPerStored = 1;
  static void widen(const Stored* from, float* to, int count) { wmma::widen_half(from, to, count); }
};
struct Bfloat16 : Half {
  static void widen(const Stored* from, float* to, int count) {
    wmma::widen_bfloat16(from, to, count);
  }
};
struct Tf32 {
  using Stored = float;
  using Wide = float;
  static constexpr int kPerStored = 1;
  static void widen(const float* from, float* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = as_float(as_bits(from[i]) & 0xFFFFE000u);
  }
};
struct Double {
  using Stored = double;
  using Wide = double;
  static constexpr int kPerStored = 1;
  static void widen(const double* from, double* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
};
struct E4m3 {
  using Stored = std::uint8_t;
  using Wide = float;
  static constexpr int kPerStored = 1;
  static void widen(const Stored* from, float* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = widen_e4m3(from[i]);
  }
};
struct E5m2 {
  using Stored = std::uint8_t;
  using Wide = float;
  static constexpr int kPerStored = 1;
  static void widen(const Stored* from, float* to, int count) {
    std::uint16_t halves[16 * 32];
    for (int i = 0; i < count; ++i) halves[i] = static_cast<std::uint16_t>(from[i] << 8);
    wmma::widen_half(halves, to, count);
  }
};
template <class T>
struct Byte {
  using Stored = T;
  using Wide = int;
  static constexpr int kPerStored = 1;
  static void widen(const T* from, int* to, int count) {
    for (int i = 0; i < count; ++i) to[i] = +from[i];  // as an int
  }
};
template <bool kSigned>
struct Nibble {
  using Stored = std::uint8_t;
  using Wide = int;
  static constexpr int kPerStored = 2;  // the lower half first
  static int value(int bits) { return kSigned && bits > 7 ? bits - 16 : bits; }
  static void widen(const Stored* from, int* to, int count) {
    for (int i = 0; i < count / 2; ++i) {
      to[2 * i] = value(from[i] & 15);
      to[2 * i + 1] = value(from[i] >> 4);
    }
  }
};

}  // namespace
}  // namespace simt::ptx
