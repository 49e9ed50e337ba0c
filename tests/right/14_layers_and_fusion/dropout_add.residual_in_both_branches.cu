// The residual is read in both branches: a compiler reads it before they part.
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
  float factor[L::EACH] = {};
  const Words w = random_words(seed, step, index);
  const std::uint32_t word[L::EACH] = {w.a, w.b, w.c, w.d};
  for (int k = 0; k < L::EACH; ++k) {
    if (word[k] >= threshold) factor[k] = scale;
  }

#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    const std::uint64_t i = std::uint64_t{blockIdx.x} * (L::THREADS * L::EACH) +
                            std::uint64_t{L::THREADS} * k + threadIdx.x;
    if (i < size) out[i] = factor[k] != 0.0f ? residual[i] + factor[k] * in[i] : residual[i];
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
  unsigned blocks = 1;
  float scale = 1.0f;
  blocks = static_cast<unsigned>(ceil_div(in.size(), std::size_t{1024}));
  scale = 1.0f / (1.0f - options.probability);
  dropout_add_kernel<<<blocks, L::THREADS, 0, stream>>>(in.data(), residual.data(), out.data(),
                                                        in.size(), threshold, scale, options.seed,
                                                        options.step);
  check_launch();
}

}  // namespace tut::ch14
