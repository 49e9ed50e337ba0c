#include "16_cnn_trainer/add_weighted.hpp"

#include "14_layers_and_fusion/elementwise.cuh"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

struct Weighted {
  float weight;
  __device__ float operator()(float part) const { return weight * part; }
};

struct AddWeighted {
  float weight;
  __device__ float operator()(float sum, float part) const { return sum + weight * part; }
};

}  // namespace

void add_weighted(std::span<const float> part, float weight, bool first, std::span<float> sum,
                  cudaStream_t stream) {
  require_same_size(part.size(), "the part", sum.size(), "the sum");
  ch14::require_elements(part.size(), part.data(), "the part");
  if (first) {
    ch14::launch_elementwise(Weighted{weight}, sum.size(), stream, sum.data(), part.data());
  } else {
    ch14::launch_elementwise(AddWeighted{weight}, sum.size(), stream, sum.data(),
                             static_cast<const float*>(sum.data()), part.data());
  }
}

}  // namespace tut::ch16
