// Four floats a thread where both arrays begin at vectors.
#include "12_mixed_precision/round_to_half.hpp"

#include <cuda_fp16.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ std::uint16_t half_code(float x) {
  return isnan(x) ? std::uint16_t{0x7FFF} : __half_as_ushort(__float2half_rn(x));
}

__global__ void convert_four(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t i = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i + 4 <= size) {
    const float4 x = *reinterpret_cast<const float4*>(in + i);
    const ushort4 codes{half_code(x.x), half_code(x.y), half_code(x.z), half_code(x.w)};
    *reinterpret_cast<ushort4*>(out + i) = codes;
    return;
  }
  for (std::size_t j = i; j < size; ++j) out[j] = half_code(in[j]);
}

__global__ void convert_one(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = half_code(in[i]);
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const bool vectors = reinterpret_cast<std::uintptr_t>(in.data()) % 16 == 0 &&
                       reinterpret_cast<std::uintptr_t>(out.data()) % 8 == 0;
  const auto threads = ceil_div(in.size(), std::size_t{vectors ? 4u : 1u});
  const auto blocks = static_cast<unsigned>(ceil_div(threads, std::size_t{256}));
  (vectors ? convert_four : convert_one)<<<blocks, 256, 0, stream>>>(in.data(), out.data(),
                                                                     in.size());
  check_launch();
}

}  // namespace tut::ch12
