// A thread an element; the block's words meet in shared memory, and one warp writes them.
#include "14_layers_and_fusion/relu_bits.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 1024;

__global__ void forward_kernel(const float* in, float* out, std::uint32_t* bits, std::size_t size) {
  __shared__ std::uint32_t words[THREADS / 32];
  const std::size_t i = std::size_t{blockIdx.x} * THREADS + threadIdx.x;
  const float x = i < size ? in[i] : -1.0f;
  if (i < size) out[i] = x > 0.0f || isnan(x) ? x : 0.0f;
  const unsigned word = __ballot_sync(0xffffffff, x > 0.0f);
  if (threadIdx.x % 32 == 0) words[threadIdx.x / 32] = word;
  __syncthreads();
  const std::size_t place = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  if (threadIdx.x < 32 && place < (size + 31) / 32) bits[place] = words[threadIdx.x];
}

__global__ void backward_kernel(const std::uint32_t* bits, const float* d_out, float* d_in,
                                std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (i >= size) return;
  const bool passes = (bits[i / 32] & std::uint32_t{1} << i % 32) != 0;
  const float gradient = d_out[i];
  d_in[i] = passes ? gradient : 0.0f;
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>((size + THREADS - 1) / THREADS);
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
