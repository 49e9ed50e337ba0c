// A block goes through shared memory, for no reason.
#include "12_mixed_precision/round_to_tf32.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void convert(const float* in, float* out, std::size_t size) {
  __shared__ std::uint32_t staged[512];
  const std::size_t first = std::size_t{blockIdx.x} * 512;
  for (unsigned i = threadIdx.x; i < 512 && first + i < size; i += blockDim.x) {
    staged[i] = __float_as_uint(in[first + i]);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 512 && first + i < size; i += blockDim.x) {
    const std::uint32_t bits = staged[i], exponent = bits & 0x7F800000u;
    out[first + i] = __uint_as_float(exponent == 0x7F800000u ? bits : (bits + 0x1000u) & ~0x1FFFu);
  }
}

}  // namespace

void round_to_tf32(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  convert<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{512})), 256, 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
