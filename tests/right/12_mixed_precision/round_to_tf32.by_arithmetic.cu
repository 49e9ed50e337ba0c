// Half of the last place is added where it is short of infinity, by the sign of the number.
#include "12_mixed_precision/round_to_tf32.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ float tf32(float x) {
  if (!(fabsf(x) < __uint_as_float(0x7F800000u))) return x;
  const std::uint32_t bits = __float_as_uint(x), rest = bits & 0x1FFFu, kept = bits - rest;
  return __uint_as_float(rest >= 0x1000u ? kept + 0x2000u : kept);
}

__global__ void convert(const float* in, float* out, std::size_t size) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step) {
    out[i] = tf32(in[i]);
  }
}

}  // namespace

void round_to_tf32(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  convert<<<12, 192, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
