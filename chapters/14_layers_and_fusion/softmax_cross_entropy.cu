#include "14_layers_and_fusion/softmax_cross_entropy.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8, MAX_CLASSES = 256;

__global__ void softmax_cross_entropy_kernel(const float* scores, const std::uint8_t* labels,
                                             float* losses, float* d_scores, int rows,
                                             int classes) {
  __shared__ float row[BY][MAX_CLASSES];  // scores, then their exponentials
  __shared__ float share[BY][BX];         // of each thread: its largest score, then its sum
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int n = blockIdx.x * BY + ty;
  const std::int64_t first = std::int64_t{n} * classes;
  const bool inside = n < rows;

  // The largest score: fmaxf would lose a NaN, which the sum below then finds.
  float largest = -INFINITY;
  if (inside) {
    for (int j = tx; j < classes; j += BX) {
      const float score = scores[first + j];
      row[ty][j] = score;
      largest = fmaxf(largest, score);
    }
  }
  share[ty][tx] = largest;
  __syncthreads();
  for (int step = BX / 2; step > 0; step /= 2) {
    if (tx < step) share[ty][tx] = fmaxf(share[ty][tx], share[ty][tx + step]);
    __syncthreads();
  }
  largest = share[ty][0];
  const int label = inside ? labels[n] : 0;
  const float label_score = inside ? row[ty][label] : 0.0f;
  __syncthreads();  // nobody overwrites what somebody still reads

  // The sum of the exponentials.
  float sum = 0.0f;
  if (inside) {
    for (int j = tx; j < classes; j += BX) {
      const float e = expf(row[ty][j] - largest);
      row[ty][j] = e;
      sum += e;
    }
  }
  share[ty][tx] = sum;
  __syncthreads();
  for (int step = BX / 2; step > 0; step /= 2) {
    if (tx < step) share[ty][tx] += share[ty][tx + step];
    __syncthreads();
  }
  sum = share[ty][0];

  // Loss and gradient.
  if (!inside) return;
  if (tx == 0) losses[n] = logf(sum) + largest - label_score;
  const float mean = 1.0f / static_cast<float>(rows);
  for (int j = tx; j < classes; j += BX) {
    d_scores[first + j] = (row[ty][j] / sum - (j == label ? 1.0f : 0.0f)) * mean;
  }
}

}  // namespace

void softmax_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                           std::span<float> losses, MatrixView<float> d_scores,
                           cudaStream_t stream) {
  require_same_shape(scores, "the scores", d_scores, "their gradient");
  require_same_size(labels.size(), "the labels", scores.rows, "a column of scores");
  require_same_size(losses.size(), "the losses", scores.rows, "a column of scores");
  require(scores.stride == scores.cols && d_scores.stride == d_scores.cols,
          "the rows of scores have gaps; expected strides equal to the columns");
  require(scores.cols <= MAX_CLASSES,
          "the scores have " + std::to_string(scores.cols) + " classes; expected at most 256");
  softmax_cross_entropy_kernel<<<ceil_div(scores.rows, BY), dim3(BX, BY), 0, stream>>>(
      scores.data, labels.data(), losses.data(), d_scores.data, scores.rows, scores.cols);
  check_launch();
}

}  // namespace tut::ch14
