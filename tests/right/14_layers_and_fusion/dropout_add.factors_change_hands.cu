// Four neighbours a thread, whose factors change hands in shared memory: the loads conflict, and
// nothing is promised of that.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <cstddef>
#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

using L = DropoutLayout;

// A thread draws for elements a block's width apart and computes four neighbours: their factors
// change hands in shared memory.
__global__ void dropout_add_wide_kernel(const float* in, const float* residual, float* out,
                                        std::size_t size, std::uint32_t threshold, float scale,
                                        std::uint64_t seed, std::uint64_t step) {
  __shared__ float factors[L::THREADS * L::EACH];
  const std::uint64_t index = std::uint64_t{blockIdx.x} * L::THREADS + threadIdx.x;
  const Words words = random_words(seed, step, index);
  const std::uint32_t word[L::EACH] = {words.a, words.b, words.c, words.d};
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    factors[k * L::THREADS + threadIdx.x] = word[k] < threshold ? 0.0f : scale;
  }
  __syncthreads();

  const float* factor = factors + L::EACH * threadIdx.x;
  const std::size_t first = L::EACH * index;
  if (first + L::EACH <= size) {
    const float4 x = *reinterpret_cast<const float4*>(in + first);
    const float4 r = *reinterpret_cast<const float4*>(residual + first);
    float4 sum;
    sum.x = r.x + factor[0] * x.x;
    sum.y = r.y + factor[1] * x.y;
    sum.z = r.z + factor[2] * x.z;
    sum.w = r.w + factor[3] * x.w;
    *reinterpret_cast<float4*>(out + first) = sum;
    return;
  }
  for (int k = 0; k < L::EACH && first + k < size; ++k) {
    out[first + k] = residual[first + k] + factor[k] * in[first + k];
  }
}

// Whether float4 may be loaded from here.
bool is_wide(const float* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, std::uint32_t threshold, float scale,
                                   std::uint64_t seed, std::uint64_t step) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * L::THREADS + threadIdx.x;
  const Words words = random_words(seed, step, index);
  const std::uint32_t word[L::EACH] = {words.a, words.b, words.c, words.d};
  float factor[L::EACH] = {};
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) factor[k] = word[k] < threshold ? 0.0f : scale;

#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    const std::size_t i = L::element(index, k);
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
  const bool wide = is_wide(in.data()) && is_wide(residual.data()) && is_wide(out.data());
  const auto kernel = wide ? dropout_add_wide_kernel : dropout_add_kernel;
  kernel<<<blocks, L::THREADS, 0, stream>>>(in.data(), residual.data(), out.data(), in.size(),
                                            threshold, scale, options.seed, options.step);
  check_launch();
}

}  // namespace tut::ch14
