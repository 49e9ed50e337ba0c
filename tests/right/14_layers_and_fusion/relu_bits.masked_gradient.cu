// A lane whose bit is 0 does not read its gradient: data switches it off.
#include "14_layers_and_fusion/relu_bits.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void relu_bits_kernel(const float* in, float* out, std::uint32_t* bits,
                                 std::size_t size) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  std::uint32_t mine = 0;
  for (unsigned k = 0; k < 32; ++k) {
    const std::size_t i = warp * 1024 + k * 32 + lane;
    const float x = i < size ? in[i] : 0.0f;
    const std::uint32_t word = __ballot_sync(0xffffffff, x > 0.0f);
    if (k == lane) mine = word;
    if (i < size) out[i] = x < 0.0f ? 0.0f : x;
  }
  if (warp * 32 + lane < (size + 31) / 32) bits[warp * 32 + lane] = mine;
}

__global__ void relu_bits_backward_kernel(const std::uint32_t* bits, const float* d_out,
                                          float* d_in, std::size_t size) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::size_t words = (size + 31) / 32, place = warp * 32 + lane;
  const std::uint32_t mine = place < words ? bits[place] : 0;
  for (unsigned k = 0; k < 32; ++k) {
    const std::size_t i = warp * 1024 + k * 32 + lane;
    const bool bit = (__shfl_sync(0xffffffff, mine, k) >> lane & 1) != 0;
    if (i < size) d_in[i] = bit ? d_out[i] : 0.0f;
  }
}

unsigned blocks_for(std::size_t size) { return static_cast<unsigned>((size + 4095) / 4096); }

void require_lengths(std::size_t in, std::size_t out, std::size_t words) {
  if (in == 0 || in != out || words != (in + 31) / 32) {
    throw std::invalid_argument("the lengths do not fit");
  }
}

}  // namespace

void relu_bits(std::span<const float> in, std::span<float> out, std::span<std::uint32_t> bits,
               cudaStream_t stream) {
  require_lengths(in.size(), out.size(), bits.size());
  relu_bits_kernel<<<blocks_for(in.size()), 128, 0, stream>>>(in.data(), out.data(), bits.data(),
                                                              in.size());
  check_launch();
}

void relu_bits_backward(std::span<const std::uint32_t> bits, std::span<const float> d_out,
                        std::span<float> d_in, cudaStream_t stream) {
  require_lengths(d_out.size(), d_in.size(), bits.size());
  relu_bits_backward_kernel<<<blocks_for(d_in.size()), 128, 0, stream>>>(bits.data(), d_out.data(),
                                                                         d_in.data(), d_in.size());
  check_launch();
}

}  // namespace tut::ch14
