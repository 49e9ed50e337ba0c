// The arithmetic of WMMA, compiled for this very processor. Only plain loops: an inline function of
// a header, compiled here, might be taken by the linker for other parts of the program.
#include "matrix_rows.hpp"
#include "simt/wmma/runtime.hpp"

namespace simt::wmma {

namespace {

// The shapes that there are. Products of double are made elsewhere.
template <class T>
void multiply_shape(const T* a, const T* b, T* c, Shape shape) {
  if (shape.m == 32) return multiply_rows<T, 32, 8, 16>(a, b, c);
  if (shape.n == 32) return multiply_rows<T, 8, 32, 16>(a, b, c);
  if (shape.k == 8) return multiply_rows<T, 16, 16, 8>(a, b, c);
  multiply_rows<T, 16, 16, 16>(a, b, c);
}

constexpr int kMostElements = 256;

float as_float(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
std::uint32_t as_bits(float value) { return __builtin_bit_cast(std::uint32_t, value); }

}  // namespace

void multiply_add(const float* a, const float* b, float* c, Shape shape) {
  tell_product();
  multiply_shape(a, b, c, shape);
}

void multiply_add(const int* a, const int* b, int* c, Shape shape, bool saturate) {
  tell_product();
  int products[kMostElements] = {};  // 16 products of bytes: no overflow
  multiply_shape(a, b, products, shape);
  for (int i = 0; i < shape.m * shape.n; ++i) {
    const long long exact = static_cast<long long>(c[i]) + products[i];
    c[i] = saturate ? saturated(exact) : static_cast<int>(exact);
  }
}

void widen_half(const std::uint16_t* from, float* to, int count) {
  for (int i = 0; i < count; ++i) {
    // The exponent moves by 112, which makes numbers of the subnormal ones, too.
    const std::uint32_t magnitude = (from[i] & 0x7FFFu) << 13;
    const std::uint32_t special = magnitude >= 0x0F800000u ? 0x7F800000u : 0u;
    const std::uint32_t sign = (from[i] & 0x8000u) << 16;
    to[i] = as_float(as_bits(as_float(magnitude) * 0x1p112f) | special | sign);
  }
}

void widen_bfloat16(const std::uint16_t* from, float* to, int count) {
  for (int i = 0; i < count; ++i) to[i] = as_float(static_cast<std::uint32_t>(from[i]) << 16);
}

void narrow_to_half(const float* from, std::uint16_t* to, int count) {
  for (int i = 0; i < count; ++i) {
    const std::uint32_t magnitude = as_bits(from[i]) & 0x7FFFFFFFu;
    // Normal: half an ulp less the tie to even is added, and the exponent moves.
    const std::uint32_t odd = magnitude >> 13 & 1u;
    const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + odd) >> 13;
    // Subnormal: adding 0.5 puts the bits that stay at the end of the mantissa.
    const std::uint32_t subnormal = as_bits(as_float(magnitude) + 0.5f) - as_bits(0.5f);
    const std::uint32_t special = magnitude > 0x7F800000u ? 0x7FFFu : 0x7C00u;
    const std::uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
    const std::uint32_t result = magnitude >= (143u << 23) ? special : finite;
    const std::uint32_t sign = magnitude > 0x7F800000u ? 0u : as_bits(from[i]) >> 16 & 0x8000u;
    to[i] = static_cast<std::uint16_t>(result | sign);
  }
}

void truncate_to_tf32(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = as_float(as_bits(values[i]) & 0xFFFFE000u);
}

}  // namespace simt::wmma
