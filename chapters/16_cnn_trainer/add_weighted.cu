#include "16_cnn_trainer/add_weighted.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

__global__ void add_weighted_kernel(const float* part, float weight, bool first, float* sum,
                                    std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float before = first ? 0.0f : sum[i];
  sum[i] = before + weight * part[i];
}

}  // namespace

void add_weighted(std::span<const float> part, float weight, bool first, std::span<float> sum,
                  cudaStream_t stream) {
  require_same_size(part.size(), "the part", sum.size(), "the sum");
  ch14::require_elements(part.size(), part.data(), "the part");
  add_weighted_kernel<<<ch14::element_blocks(part.size()), ch14::ELEMENT_THREADS, 0, stream>>>(
      part.data(), weight, first, sum.data(), part.size());
  check_launch();
}

}  // namespace tut::ch16
