// fails: misaligned
// Moves 16 bytes at once where `in` and `out` allow it; `residual` may begin anywhere.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <cstddef>
#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch14 {
namespace {

using L = DropoutLayout;

// Whether 16 bytes may be moved at once from here.
__device__ inline bool aligned16(const float* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, std::uint32_t threshold, float scale,
                                   std::uint64_t seed, std::uint64_t step) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * L::THREADS + threadIdx.x;
  const Words words = random_words(seed, step, index);
  const std::uint32_t word[L::EACH] = {words.a, words.b, words.c, words.d};
  float factor[L::EACH] = {};
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) factor[k] = word[k] < threshold ? 0.0f : scale;

  // Through shared memory: word k of thread t belongs to element 256 k + t of the block's 1024, and
  // thread t moves elements 4 t to 4 t + 3, 16 bytes at once.
  __shared__ alignas(16) float factors[L::THREADS * L::EACH];
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) factors[k * L::THREADS + threadIdx.x] = factor[k];
  __syncthreads();

  const std::size_t start = std::size_t{blockIdx.x} * (L::THREADS * L::EACH);
  if (aligned16(in) && aligned16(out) && size - start >= std::size_t{L::THREADS * L::EACH}) {
    const std::size_t i = start + std::size_t{threadIdx.x} * 4;
    const float4 f = *reinterpret_cast<const float4*>(&factors[threadIdx.x * 4]);
    const float4 x = *reinterpret_cast<const float4*>(in + i);
    float4 sum = *reinterpret_cast<const float4*>(residual + i);
    sum.x += f.x * x.x;
    sum.y += f.y * x.y;
    sum.z += f.z * x.z;
    sum.w += f.w * x.w;
    *reinterpret_cast<float4*>(out + i) = sum;
    return;
  }
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    const std::size_t i = start + std::size_t{L::THREADS} * k + threadIdx.x;
    if (i < size) out[i] = residual[i] + factor[k] * in[i];
  }
}

}  // namespace

void dropout_add(std::span<const float> in, std::span<const float> residual, std::span<float> out,
                 const DropoutOptions& options, cudaStream_t stream) {
  require_same_size(in.size(), "the input", residual.size(), "the residual");
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require(options.probability >= 0.0f && options.probability < 1.0f,
          {"the probability is ", options.probability, "; expected at least 0 and below 1"});
  const std::uint32_t threshold = dropout_threshold(options.probability);
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), std::size_t{L::THREADS * L::EACH}));
  const float scale = 1.0f / (1.0f - options.probability);
  dropout_add_kernel<<<blocks, L::THREADS, 0, stream>>>(in.data(), residual.data(), out.data(),
                                                        in.size(), threshold, scale, options.seed,
                                                        options.step);
  check_launch();
}

}  // namespace tut::ch14
