// rintf rounds the number of steps; ldexpf widens.
#include "12_mixed_precision/convert_fp8_e4m3.hpp"

#include <cmath>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

// The number of steps is exact in float, and rintf rounds ties to even.
__device__ std::uint8_t code_of(float x) {
  const float magnitude = fabsf(x);
  const unsigned sign = __float_as_uint(x) >> 31 << 7;
  if (isnan(x)) return static_cast<std::uint8_t>(sign | 0x7F);
  if (magnitude >= 448.0f) return static_cast<std::uint8_t>(sign | 0x7E);
  const int exponent = max(static_cast<int>(__float_as_uint(magnitude) >> 23) - 127, -6);
  const float steps = rintf(ldexpf(magnitude, 3 - exponent));
  return static_cast<std::uint8_t>(
      sign | (static_cast<unsigned>(steps) + 8u * static_cast<unsigned>(exponent + 6)));
}

__device__ float value_of_code(std::uint8_t code) {
  const int exponent = code >> 3 & 15, rest = code & 7;
  const float magnitude = exponent == 0 ? ldexpf(static_cast<float>(rest), -9)
                                        : ldexpf(static_cast<float>(8 + rest), exponent - 10);
  const float value = (code & 0x7F) == 0x7F ? __uint_as_float(0x7FC00000u) : magnitude;
  return code & 0x80 ? -value : value;
}

__global__ void narrow(const float* in, std::uint8_t* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = code_of(in[i]);
}

__global__ void widen(const std::uint8_t* in, float* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = value_of_code(in[i]);
}

}  // namespace

void to_fp8_e4m3(std::span<const float> in, std::span<std::uint8_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  narrow<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{128})), 128, 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

void from_fp8_e4m3(std::span<const std::uint8_t> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  widen<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{128})), 128, 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
