// Some small blocks go through the vector.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 64;

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, DropoutOptions options) {
  const float scale = 1.0f / (1.0f - options.probability);
  const std::uint32_t threshold = dropout_threshold(options.probability);
  const std::uint64_t threads = (size + 1023) / 1024 * 256;
  for (std::uint64_t index = std::uint64_t{blockIdx.x} * THREADS + threadIdx.x; index < threads;
       index += std::uint64_t{gridDim.x} * THREADS) {
    const Words words = random_words(options.seed, options.step, index);
    const auto sum = [&](int k, std::uint32_t word) {
      const std::uint64_t i = DropoutLayout::element(index, k);
      if (i < size) out[i] = fmaf(word < threshold ? 0.0f : scale, in[i], residual[i]);
    };
    sum(0, words.a);
    sum(1, words.b);
    sum(2, words.c);
    sum(3, words.d);
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min((size + 255) / 256, std::size_t{100}));
}

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
