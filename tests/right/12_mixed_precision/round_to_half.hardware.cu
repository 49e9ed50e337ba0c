// The device rounds; two floats a thread, a block apart.
#include "12_mixed_precision/round_to_half.hpp"

#include <cuda_fp16.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void convert(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t first = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  for (std::size_t i = first; i < size && i <= first + blockDim.x; i += blockDim.x) {
    const float x = in[i];
    out[i] = isnan(x) ? std::uint16_t{0x7FFF} : __half_as_ushort(__float2half_rn(x));
  }
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  convert<<<static_cast<unsigned>(ceil_div(in.size(), std::size_t{256})), 128, 0, stream>>>(
      in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
