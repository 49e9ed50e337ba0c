// A thread for each class that there may be; blocks go on to other rows, with a barrier between.
#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256;

__device__ float block_all(float v, bool is_sum, float* parts) {
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_down_sync(0xffffffff, v, step);
    v = is_sum ? v + other : fmaxf(v, other);
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  float all = parts[0];
  for (int w = 1; w < THREADS / 32; ++w) all = is_sum ? all + parts[w] : fmaxf(all, parts[w]);
  return all;
}

__global__ void loss_kernel(const float* scores, const std::uint8_t* labels, float smoothing,
                            float* losses, float* d_scores, int rows, int classes) {
  __shared__ float parts[4][THREADS / 32];
  const int j = threadIdx.x;
  for (int n = blockIdx.x; n < rows; n += gridDim.x) {
    const std::size_t place = std::size_t{1} * n * classes + j;
    const float z = j < classes ? scores[place] : -INFINITY;
    const float largest = block_all(z, false, parts[0]);
    const float e = j < classes ? expf(z - largest) : 0.0f;
    const float sum = block_all(e, true, parts[1]);
    const float total = block_all(j < classes ? z : 0.0f, true, parts[2]);
    const int label = labels[n];
    const float share = (j == label ? 1.0f - smoothing : 0.0f) + smoothing / classes;
    const float of_label = block_all(j == label ? z : 0.0f, true, parts[3]);
    if (j < classes) d_scores[place] = (e / sum - share) / rows;
    if (j == 0) {
      losses[n] = logf(sum) + largest - (1.0f - smoothing) * of_label - smoothing * total / classes;
    }
    __syncthreads();
  }
}

unsigned blocks_for(int rows) { return static_cast<unsigned>(std::min(rows, 264)); }

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
