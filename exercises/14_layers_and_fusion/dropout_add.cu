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
  // TODO: Draw this thread's four words: they depend on seed, step and the thread's index alone. Make of
  // each the factor of an element: 0 where the word is below the threshold, else `scale`.

#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    // TODO: Which element does word k belong to? If there is such an element, write the sum of its
    // residual and of what the factor leaves of it.
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
  // TODO: Enough blocks for a thread for every four elements, and the factor that keeps the mean.
  dropout_add_kernel<<<blocks, L::THREADS, 0, stream>>>(in.data(), residual.data(), out.data(),
                                                        in.size(), threshold, scale, options.seed,
                                                        options.step);
  check_launch();
}

}  // namespace tut::ch14
