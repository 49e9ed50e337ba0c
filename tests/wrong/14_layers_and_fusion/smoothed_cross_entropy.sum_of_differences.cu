// fails: values
// says: losses
// Adds up differences from the largest score, of which a row's sum may overflow.
#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128, MAX_CLASSES = 256;

__global__ void smoothed_cross_entropy_kernel(const float* scores, const std::uint8_t* labels,
                                              float smoothing, float* losses, float* d_scores,
                                              int rows, int classes) {
  __shared__ float row[MAX_CLASSES];  // the scores, then their exponentials
  __shared__ float largest_of[THREADS], sum_of[THREADS], total_of[THREADS];
  const int tx = threadIdx.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * classes;
  const int label = labels[blockIdx.x];

  float largest = -INFINITY;
  for (int j = tx; j < classes; j += THREADS) {
    const float score = scores[first + j];
    row[j] = score;
    largest = fmaxf(largest, score);
  }
  largest_of[tx] = largest;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) largest_of[tx] = fmaxf(largest_of[tx], largest_of[tx + step]);
    __syncthreads();
  }
  const float label_score = row[label];
  __syncthreads();  // nobody overwrites a score before all have read the label's

  float sum = 0.0f, total = 0.0f;
  for (int j = tx; j < classes; j += THREADS) {
    const float difference = row[j] - largest_of[0];
    const float e = expf(difference);
    row[j] = e;
    sum += e;
    total += difference;
  }
  sum_of[tx] = sum;
  total_of[tx] = total;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) {
      sum_of[tx] += sum_of[tx + step];
      total_of[tx] += total_of[tx + step];
    }
    __syncthreads();
  }

  if (tx == 0) {
    const float mean = total_of[0] / static_cast<float>(classes);
    const float label_difference = label_score - largest_of[0];
    losses[blockIdx.x] = logf(sum_of[0]) - (1.0f - smoothing) * label_difference - smoothing * mean;
  }

  const float share = 1.0f / static_cast<float>(rows);
  const float everywhere = smoothing / static_cast<float>(classes);
  for (int j = tx; j < classes; j += THREADS) {
    const float target = everywhere + (j == label ? 1.0f - smoothing : 0.0f);
    d_scores[first + j] = (row[j] / sum_of[0] - target) * share;
  }
}

}  // namespace

void smoothed_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                            float smoothing, std::span<float> losses, MatrixView<float> d_scores,
                            cudaStream_t stream) {
  require_same_shape(scores, "the scores", d_scores, "their gradient");
  require_same_size(labels.size(), "the labels", scores.rows, "a column of scores");
  require_same_size(losses.size(), "the losses", scores.rows, "a column of scores");
  require(scores.stride == scores.cols && d_scores.stride == d_scores.cols,
          "the rows of scores have gaps; expected strides equal to the columns");
  require(scores.cols <= MAX_CLASSES,
          {"the scores have ", scores.cols, " classes; expected at most 256"});
  require(smoothing >= 0.0f && smoothing <= 1.0f,
          {"the smoothing is ", smoothing, "; expected 0 to 1"});
  smoothed_cross_entropy_kernel<<<scores.rows, THREADS, 0, stream>>>(
      scores.data, labels.data(), smoothing, losses.data(), d_scores.data, scores.rows,
      scores.cols);
  check_launch();
}

}  // namespace tut::ch14
