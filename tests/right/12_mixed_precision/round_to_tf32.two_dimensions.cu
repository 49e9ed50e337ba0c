// Blocks of 32 x 4 threads.
#include "12_mixed_precision/round_to_tf32.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void convert(const float* in, float* out, std::size_t size) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const std::size_t i = row * 32 + threadIdx.x;
  if (i >= size) return;
  std::uint32_t bits = __float_as_uint(in[i]);
  if ((bits >> 23 & 0xFF) != 0xFF) bits = (bits + 0x1000u) >> 13 << 13;
  out[i] = __uint_as_float(bits);
}

}  // namespace

void round_to_tf32(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  convert<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{128})), dim3(32, 4), 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
