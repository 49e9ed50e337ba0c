// A thread an element, which draws the four words of its group and takes its own.
#include "14_layers_and_fusion/dropout_add.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 512;

__global__ void dropout_add_kernel(const float* in, const float* residual, float* out,
                                   std::size_t size, DropoutOptions options) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::uint64_t index = i / 1024 * 256 + i % 256;
  const Words words = random_words(options.seed, options.step, index);
  const std::uint64_t k = i / 256 % 4;
  const std::uint32_t word = k == 0 ? words.a : k == 1 ? words.b : k == 2 ? words.c : words.d;
  const bool dropped = word < dropout_threshold(options.probability);
  const float x = in[i], r = residual[i];
  out[i] = dropped ? r : r + x * (1.0f / (1.0f - options.probability));
}

unsigned blocks_for(std::size_t size) { return static_cast<unsigned>((size + 511) / 512); }

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
