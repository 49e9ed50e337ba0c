// fails: budget
// says: of the contract's Cost
// Dropout, then the sum: 20 bytes an element, unless the residual has to be in the first pass
// because its memory is the output.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch14 {
namespace {

using L = DropoutLayout;

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, std::uint32_t threshold, float scale,
                                   std::uint64_t seed, std::uint64_t step) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * L::THREADS + threadIdx.x;
  float factor[L::EACH] = {};
  // Draw this thread's four words: they depend on seed, step and the thread's index alone. Make of
  // each the factor of an element: 0 where the word is below the threshold, else `scale`.
  const Words words = random_words(seed, step, index);
  factor[0] = words.a < threshold ? 0.0f : scale;
  factor[1] = words.b < threshold ? 0.0f : scale;
  factor[2] = words.c < threshold ? 0.0f : scale;
  factor[3] = words.d < threshold ? 0.0f : scale;

#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    // Which element does word k belong to? If there is such an element, write the sum of its
    // residual and of what the factor leaves of it.
    const std::uint64_t i = L::element(index, k);
    if (i < size) out[i] = factor[k] * in[i] + (residual != nullptr ? residual[i] : 0.0f);
  }
}

__global__ void sum_kernel(const float* residual, float* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] += residual[i];
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
  // Enough blocks for a thread for every four elements, and the factor that keeps the mean.
  blocks = static_cast<unsigned>(ceil_div(in.size(), std::size_t{L::THREADS * L::EACH}));
  scale = 1.0f / (1.0f - options.probability);
  const bool at_once = residual.data() == out.data();
  dropout_add_kernel<<<blocks, L::THREADS, 0, stream>>>(
      in.data(), at_once ? residual.data() : nullptr, out.data(), in.size(), threshold, scale,
      options.seed, options.step);
  check_launch();
  if (at_once) return;
  sum_kernel<<<element_blocks(in.size()), ELEMENT_THREADS, 0, stream>>>(residual.data(), out.data(),
                                                                        in.size());
  check_launch();
}

}  // namespace tut::ch14
