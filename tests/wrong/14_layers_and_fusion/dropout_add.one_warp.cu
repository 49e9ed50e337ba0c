// fails: budget
// says: threads use memory
// The words depend on an index alone, whichever thread draws them, so one warp draws all of them,
// one index after the other.
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
                                   std::uint64_t seed, std::uint64_t step, std::uint64_t indices) {
  for (std::uint64_t index = threadIdx.x; index < indices; index += blockDim.x) {
    const Words words = random_words(seed, step, index);
    const float factor[L::EACH] = {
        words.a < threshold ? 0.0f : scale, words.b < threshold ? 0.0f : scale,
        words.c < threshold ? 0.0f : scale, words.d < threshold ? 0.0f : scale};
#pragma unroll
    for (int k = 0; k < L::EACH; ++k) {
      const std::uint64_t i = L::element(index, k);
      if (i < size) out[i] = residual[i] + factor[k] * in[i];
    }
  }
}

}  // namespace

void dropout_add(std::span<const float> in, std::span<const float> residual, std::span<float> out,
                 const DropoutOptions& options, cudaStream_t stream) {
  constexpr int THREADS = 32;
  require_same_size(in.size(), "the input", residual.size(), "the residual");
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require(options.probability >= 0.0f && options.probability < 1.0f,
          {"the probability is ", options.probability, "; expected at least 0 and below 1"});
  const std::uint32_t threshold = dropout_threshold(options.probability);
  const float scale = 1.0f / (1.0f - options.probability);
  const std::uint64_t indices = ceil_div(in.size(), std::size_t{L::THREADS * L::EACH}) * L::THREADS;
  dropout_add_kernel<<<1, THREADS, 0, stream>>>(in.data(), residual.data(), out.data(), in.size(),
                                                threshold, scale, options.seed, options.step,
                                                indices);
  check_launch();
}

}  // namespace tut::ch14
