// A warp a row, whose scores stay in registers; shuffles in place of shared memory.
#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

__device__ float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
  return v;
}

__global__ void loss_kernel(const float* scores, const std::uint8_t* labels, float smoothing,
                            float* losses, float* d_scores, int rows, int classes) {
  const int lane = threadIdx.x % 32, n = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  if (n >= rows) return;
  const long long first = static_cast<long long>(n) * classes;
  const int label = labels[n];
  float z[8], largest = -INFINITY, total = 0.0f, of_label = 0.0f;
  for (int k = 0; k < 8; ++k) {
    const int j = 32 * k + lane;
    z[k] = j < classes ? scores[first + j] : -INFINITY;
    if (j == label) of_label = z[k];
    if (j < classes) total += z[k];
    largest = fmaxf(largest, z[k]);
  }
  for (int step = 16; step > 0; step /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, step));
  }
  float sum = 0.0f;
  for (float& value : z) {
    value = expf(value - largest);
    sum += value;
  }
  sum = warp_sum(sum);
  total = warp_sum(total);
  of_label = warp_sum(of_label);
  if (lane == 0) {
    losses[n] = logf(sum) + (largest - (1.0f - smoothing) * of_label - smoothing * total / classes);
  }
  for (int k = 0; k < 8; ++k) {
    const int j = 32 * k + lane;
    if (j >= classes) break;
    const float target = (j == label ? 1.0f - smoothing : 0.0f) + smoothing / classes;
    d_scores[first + j] = (z[k] / sum - target) / rows;
  }
}

unsigned blocks_for(int rows) { return static_cast<unsigned>((rows + 3) / 4); }

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
