// fails: race
// Reads by __ldg what it writes where `out` is one of the inputs.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

using L = DropoutLayout;

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, std::uint32_t threshold, float scale,
                                   std::uint64_t seed, std::uint64_t step) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * L::THREADS + threadIdx.x;
  const Words drawn = random_words(seed, step, index);
  const std::uint32_t words[L::EACH] = {drawn.a, drawn.b, drawn.c, drawn.d};
  float factor[L::EACH] = {};
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) factor[k] = words[k] < threshold ? 0.0f : scale;

#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    const std::size_t i = (std::size_t{blockIdx.x} * L::EACH + k) * L::THREADS + threadIdx.x;
    if (i < size) out[i] = __ldg(residual + i) + factor[k] * __ldg(in + i);
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
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), std::size_t{L::THREADS * L::EACH}));
  const float scale = 1.0f / (1.0f - options.probability);
  dropout_add_kernel<<<blocks, L::THREADS, 0, stream>>>(
      in.data(), residual.data(), out.data(), in.size(), dropout_threshold(options.probability),
      scale, options.seed, options.step);
  check_launch();
}

}  // namespace tut::ch14
