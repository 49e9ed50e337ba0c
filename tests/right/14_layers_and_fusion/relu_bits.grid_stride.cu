// Some warps go through the vector, 1024 elements at a time.
#include "14_layers_and_fusion/relu_bits.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

__global__ void forward_kernel(const float* in, float* out, std::uint32_t* bits, std::size_t size) {
  const unsigned lane = threadIdx.x & 31;
  const std::size_t warps = std::size_t{gridDim.x} * (THREADS / 32);
  for (std::size_t w = (std::size_t{blockIdx.x} * THREADS + threadIdx.x) / 32; w * 1024 < size;
       w += warps) {
    unsigned mine = 0;
    for (unsigned k = 0; k < 32; ++k) {
      const std::size_t i = w * 1024 + k * 32 + lane;
      bool above = false;
      if (i < size) {
        const float x = in[i];
        above = x > 0.0f;
        out[i] = x <= 0.0f ? 0.0f : x;
      }
      const unsigned word = __ballot_sync(0xffffffff, above);
      mine = lane == k ? word : mine;
    }
    if ((w * 32 + lane) * 32 < size) bits[w * 32 + lane] = mine;
  }
}

__global__ void backward_kernel(const std::uint32_t* bits, const float* d_out, float* d_in,
                                std::size_t size) {
  const unsigned lane = threadIdx.x & 31;
  const std::size_t warps = std::size_t{gridDim.x} * (THREADS / 32);
  for (std::size_t w = (std::size_t{blockIdx.x} * THREADS + threadIdx.x) / 32; w * 1024 < size;
       w += warps) {
    const bool is_there = (w * 32 + lane) * 32 < size;
    unsigned mine = is_there ? bits[w * 32 + lane] : 0;
    for (unsigned k = 0; k < 32; ++k) {
      const std::size_t i = w * 1024 + k * 32 + lane;
      const unsigned word = __shfl_sync(0xffffffff, mine, k);
      if (i < size)
        d_in[i] = __uint_as_float((0u - (word >> lane & 1)) & __float_as_uint(d_out[i]));
    }
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min((size + 4095) / 4096, std::size_t{40}));
}

void require_lengths(std::size_t in, std::size_t out, std::size_t words) {
  if (in == 0 || in != out || words != (in + 31) / 32) {
    throw std::invalid_argument("the lengths do not fit");
  }
}

}  // namespace

void relu_bits(std::span<const float> in, std::span<float> out, std::span<std::uint32_t> bits,
               cudaStream_t stream) {
  require_lengths(in.size(), out.size(), bits.size());
  forward_kernel<<<blocks_for(in.size()), THREADS, 0, stream>>>(in.data(), out.data(), bits.data(),
                                                                in.size());
  check_launch();
}

void relu_bits_backward(std::span<const std::uint32_t> bits, std::span<const float> d_out,
                        std::span<float> d_in, cudaStream_t stream) {
  require_lengths(d_out.size(), d_in.size(), bits.size());
  backward_kernel<<<blocks_for(d_in.size()), THREADS, 0, stream>>>(bits.data(), d_out.data(),
                                                                   d_in.data(), d_in.size());
  check_launch();
}

}  // namespace tut::ch14
