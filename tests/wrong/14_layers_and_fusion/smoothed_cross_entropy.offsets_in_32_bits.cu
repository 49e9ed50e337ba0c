// fails: values
// says: 2^32 before that
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// Where a row begins is an unsigned.
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
  const unsigned first = blockIdx.x * classes;
  const int label = labels[blockIdx.x];

  // Read the row into shared memory, each score once, by all threads together. On the way each
  // thread finds the largest (begin with -INFINITY) and the sum of its own scores, and puts them
  // into largest_of[tx] and total_of[tx].
  float largest = -INFINITY, total = 0.0f;
  for (int j = tx; j < classes; j += THREADS) {
    const float score = scores[first + j];
    row[j] = score;
    largest = fmaxf(largest, score);
    total += score;
  }
  largest_of[tx] = largest;
  total_of[tx] = total;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) {
      largest_of[tx] = fmaxf(largest_of[tx], largest_of[tx + step]);
      total_of[tx] += total_of[tx + step];
    }
    __syncthreads();
  }
  const float label_score = row[label];
  __syncthreads();  // nobody overwrites a score before all have read the label's

  // Replace each score in shared memory by exp(score - the row's largest), and put the sum of
  // this thread's own into sum_of[tx].
  float sum = 0.0f;
  for (int j = tx; j < classes; j += THREADS) {
    const float e = expf(row[j] - largest_of[0]);
    row[j] = e;
    sum += e;
  }
  sum_of[tx] = sum;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) sum_of[tx] += sum_of[tx + step];
    __syncthreads();
  }

  // One thread writes the loss. The largest score was taken out of the sum of exponentials: it
  // comes back into its logarithm. label_score and total_of[0] hold what else the loss needs.
  if (tx == 0) {
    const float mean = total_of[0] / static_cast<float>(classes);
    losses[blockIdx.x] =
        logf(sum_of[0]) + largest_of[0] - (1.0f - smoothing) * label_score - smoothing * mean;
  }

  // All threads write the gradient, neighbours side by side; the mean is over `rows`.
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
