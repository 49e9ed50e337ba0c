#include "16_cnn_trainer/add_weighted.hpp"

#include <cstddef>
#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

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
  if (part.empty() || part.size() != sum.size()) {
    require(false, "the vectors have " + std::to_string(part.size()) + " and " +
                       std::to_string(sum.size()) + " elements; expected as many, at least 1");
  }
  const auto blocks = static_cast<unsigned>(ceil_div(part.size(), std::size_t{THREADS}));
  add_weighted_kernel<<<blocks, THREADS, 0, stream>>>(part.data(), weight, first, sum.data(),
                                                      part.size());
  check_launch();
}

}  // namespace tut::ch16
