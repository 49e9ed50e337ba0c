// What is dropped is never read: its sum is the residual.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256;

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, DropoutOptions options) {
  const std::uint64_t index = std::uint64_t{blockIdx.x} * THREADS + threadIdx.x;
  const Words words = random_words(options.seed, options.step, index);
  const std::uint32_t drawn[4] = {words.a, words.b, words.c, words.d};
  for (int k = 0; k < 4; ++k) {
    const std::uint64_t i = DropoutLayout::element(index, k);
    if (i >= size) break;
    float sum = residual[i];
    if (drawn[k] >= dropout_threshold(options.probability)) {
      sum += in[i] / (1.0f - options.probability);
    }
    out[i] = sum;
  }
}

unsigned blocks_for(std::size_t size) { return static_cast<unsigned>((size + 1023) / 1024); }

}  // namespace

void dropout_add(std::span<const float> in, std::span<const float> residual, std::span<float> out,
                 const DropoutOptions& options, cudaStream_t stream) {
  if (in.empty() || in.size() != residual.size() || in.size() != out.size()) {
    throw std::invalid_argument("the lengths do not fit");
  }
  if (!(options.probability >= 0.0f && options.probability < 1.0f)) {
    throw std::invalid_argument("the probability is not from 0 to below 1");
  }
  dropout_add_kernel<<<blocks_for(in.size()), THREADS, 0, stream>>>(in.data(), residual.data(),
                                                                    out.data(), in.size(), options);
  check_launch();
}

}  // namespace tut::ch14
