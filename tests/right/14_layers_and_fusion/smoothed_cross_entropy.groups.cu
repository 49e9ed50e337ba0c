// Cooperative groups: a tile of 32 threads a row, which passes over it in shared memory.
#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

namespace cg = cooperative_groups;

constexpr int THREADS = 64;

__global__ void loss_kernel(const float* scores, const std::uint8_t* labels, float smoothing,
                            float* losses, float* d_scores, int rows, int classes) {
  __shared__ float staged[THREADS / 32][256];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int n =
      static_cast<int>(blockIdx.x) * (THREADS / 32) + static_cast<int>(tile.meta_group_rank());
  if (n >= rows) return;
  float* z = staged[tile.meta_group_rank()];
  const float* from = scores + static_cast<std::int64_t>(n) * classes;
  float largest = -INFINITY, total = 0.0f;
  for (int j = static_cast<int>(tile.thread_rank()); j < classes; j += 32) {
    z[j] = from[j];
    largest = fmaxf(largest, z[j]);
    total += z[j];
  }
  largest = cg::reduce(tile, largest, cg::greater<float>());
  total = cg::reduce(tile, total, cg::plus<float>());
  tile.sync();
  const int label = labels[n];
  const float of_label = z[label];
  float sum = 0.0f;
  for (int j = static_cast<int>(tile.thread_rank()); j < classes; j += 32) {
    sum += expf(z[j] - largest);
  }
  sum = cg::reduce(tile, sum, cg::plus<float>());
  for (int j = static_cast<int>(tile.thread_rank()); j < classes; j += 32) {
    const float target = (j == label) * (1.0f - smoothing) + smoothing / classes;
    d_scores[static_cast<std::int64_t>(n) * classes + j] =
        (expf(z[j] - largest) / sum - target) / rows;
  }
  if (tile.thread_rank() == 0) {
    losses[n] = logf(sum) + largest - (1.0f - smoothing) * of_label - smoothing * total / classes;
  }
}

unsigned blocks_for(int rows) { return static_cast<unsigned>((rows + 1) / 2); }

}  // namespace

void smoothed_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                            float smoothing, std::span<float> losses, MatrixView<float> d_scores,
                            cudaStream_t stream) {
  const int n = scores.rows, k = scores.cols;
  const bool fits = n > 0 && k > 0 && k <= 256 && d_scores.rows == n && d_scores.cols == k &&
                    scores.stride == k && d_scores.stride == k &&
                    labels.size() == static_cast<std::size_t>(n) &&
                    losses.size() == static_cast<std::size_t>(n);
  if (!fits || !(smoothing >= 0.0f && smoothing <= 1.0f)) {
    throw std::invalid_argument("the arguments do not fit");
  }
  loss_kernel<<<blocks_for(n), THREADS, 0, stream>>>(scores.data, labels.data(), smoothing,
                                                     losses.data(), d_scores.data, n, k);
  check_launch();
}

}  // namespace tut::ch14
