#include "12_mixed_precision/round_to_tf32.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ float to_tf32(float x) {
  std::uint32_t bits = __float_as_uint(x);
  // TODO: Infinities and NaNs, whose exponent field is all ones, stay as they are: an addition
  // could carry a NaN into the sign. All others: add half a unit of the last place that is kept,
  // and set the 13 bits below it to 0. Ties go away from zero, so no case needs to be told apart.
  return __uint_as_float(bits);
}

__global__ void round_to_tf32_kernel(const float* in, float* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = to_tf32(in[i]);
}

}  // namespace

void round_to_tf32(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), THREADS));
  round_to_tf32_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
