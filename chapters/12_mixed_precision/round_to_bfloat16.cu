#include "12_mixed_precision/round_to_bfloat16.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

//! [round]
/// The upper 16 bits of x, rounded to nearest, ties to even.
__device__ std::uint16_t bfloat16_bits(float x) {
  std::uint32_t bits = __float_as_uint(x);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFF;  // a NaN must not round to infinity
  // Add half a unit of the last place that is kept: what is above half carries into it. At a tie
  // that place decides: one less is added where it is even. A carry out of the significand counts
  // the exponent up, and out of the largest exponent gives infinity: both are right.
  const std::uint32_t last = bits >> 16 & 1;
  bits += 0x7FFF + last;
  return static_cast<std::uint16_t>(bits >> 16);
}
//! [round]

__global__ void round_to_bfloat16_kernel(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = bfloat16_bits(in[i]);
}

}  // namespace

void round_to_bfloat16(std::span<const float> in, std::span<std::uint16_t> out,
                       cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), THREADS));
  round_to_bfloat16_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
