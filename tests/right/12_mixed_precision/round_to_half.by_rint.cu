// rintf rounds the number of units of the last place.
#include "12_mixed_precision/round_to_half.hpp"

#include <cmath>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ std::uint16_t half_code(float x) {
  const std::uint32_t sign = __float_as_uint(x) >> 16 & 0x8000u;
  const float magnitude = fabsf(x);
  if (!(magnitude <= INFINITY)) return 0x7FFF;
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7C00u);
  // How many units of the last place that half has there, and where these codes begin.
  const int exponent = max(static_cast<int>(__float_as_uint(magnitude) >> 23) - 127, -14);
  const float unit = ldexpf(1.0f, exponent - 10);
  const float units = rintf(magnitude / unit);  // to nearest, ties to even; at most 2048
  const auto code =
      static_cast<std::uint32_t>(units) + static_cast<std::uint32_t>(exponent + 14) * 1024u;
  return static_cast<std::uint16_t>(sign | code);
}

__global__ void convert(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    out[i] = half_code(in[i]);
  }
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  convert<<<16, 128, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
