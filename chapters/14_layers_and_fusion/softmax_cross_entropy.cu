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
  __shared__ float tile[BY * MAX_CLASSES];  // the block's rows: scores, exponentials, gradients
  __shared__ float share[BY][BX];           // of each thread: its largest score, then its sum
  __shared__ float row_loss[BY];
  __shared__ int row_label[BY];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int t = ty * BX + tx;
  const int first_row = blockIdx.x * BY;
  const int n = first_row + ty;
  const int size = min(BY, rows - first_row) * classes;
  const int row = ty * classes;            // where this thread's row begins in the tile
  const int end = n < rows ? classes : 0;  // rows that are not there have no classes
  const std::int64_t first = std::int64_t{first_row} * classes;

  //! [stage]
  // The block's rows lie one after the other: read them as one vector, and their labels as well.
  for (int i = t; i < size; i += BX * BY) tile[i] = scores[first + i];
  if (t < BY && first_row + t < rows) row_label[t] = labels[first_row + t];
  __syncthreads();
  //! [stage]

  // The largest score. fmaxf loses a NaN, but the sum below finds it.
  float largest = -INFINITY;
  for (int j = tx; j < end; j += BX) largest = fmaxf(largest, tile[row + j]);
  share[ty][tx] = largest;
  __syncthreads();
  for (int step = BX / 2; step > 0; step /= 2) {
    if (tx < step) share[ty][tx] = fmaxf(share[ty][tx], share[ty][tx + step]);
    __syncthreads();
  }
  largest = share[ty][0];
  const int label = n < rows ? row_label[ty] : 0;
  const float label_score = n < rows ? tile[row + label] : 0.0f;
  __syncthreads();  // nobody overwrites what somebody still reads

  // The sum of the exponentials.
  float sum = 0.0f;
  for (int j = tx; j < end; j += BX) {
    const float e = expf(tile[row + j] - largest);
    tile[row + j] = e;
    sum += e;
  }
  share[ty][tx] = sum;
  __syncthreads();
  for (int step = BX / 2; step > 0; step /= 2) {
    if (tx < step) share[ty][tx] += share[ty][tx + step];
    __syncthreads();
  }
  sum = share[ty][0];

  //! [loss]
  // Loss and gradient: both are at hand, so the probabilities need not go through memory.
  if (tx == 0) row_loss[ty] = logf(sum) + largest - label_score;
  const float mean = 1.0f / static_cast<float>(rows);
  for (int j = tx; j < end; j += BX) {
    tile[row + j] = (tile[row + j] / sum - (j == label ? 1.0f : 0.0f)) * mean;
  }
  __syncthreads();
  for (int i = t; i < size; i += BX * BY) d_scores[first + i] = tile[i];
  if (t < BY && first_row + t < rows) losses[first_row + t] = row_loss[t];
  //! [loss]
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
          {"the scores have ", scores.cols, " classes; expected at most 256"});
  softmax_cross_entropy_kernel<<<ceil_div(scores.rows, BY), dim3(BX, BY), 0, stream>>>(
      scores.data, labels.data(), losses.data(), d_scores.data, scores.rows, scores.cols);
  check_launch();
}

}  // namespace tut::ch14
