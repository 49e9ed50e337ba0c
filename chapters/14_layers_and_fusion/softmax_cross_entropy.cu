#include "14_layers_and_fusion/softmax_cross_entropy.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

__global__ void softmax_cross_entropy_kernel(const float* scores, const std::uint8_t* labels,
                                             float* losses, float* d_scores, int rows,
                                             int classes) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= rows) return;
  const float* score = scores + std::int64_t{n} * classes;
  float* d_score = d_scores + std::int64_t{n} * classes;
  const int label = labels[n];

  float largest = score[0];
  for (int j = 1; j < classes; ++j) largest = fmaxf(largest, score[j]);
  float sum = 0.0f;
  for (int j = 0; j < classes; ++j) sum += expf(score[j] - largest);
  losses[n] = logf(sum) + largest - score[label];

  const float scale = 1.0f / (sum * static_cast<float>(rows));
  const float target = 1.0f / static_cast<float>(rows);
  for (int j = 0; j < classes; ++j) {
    d_score[j] = expf(score[j] - largest) * scale - (j == label ? target : 0.0f);
  }
}

}  // namespace

void softmax_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                           std::span<float> losses, MatrixView<float> d_scores,
                           cudaStream_t stream) {
  constexpr int THREADS = 32;
  require_same_shape(scores, "the scores", d_scores, "their gradient");
  require_same_size(labels.size(), "the labels", scores.rows, "a column of scores");
  require_same_size(losses.size(), "the losses", scores.rows, "a column of scores");
  require(scores.stride == scores.cols && d_scores.stride == d_scores.cols,
          "the rows of scores have gaps; expected strides equal to the columns");
  softmax_cross_entropy_kernel<<<ceil_div(scores.rows, THREADS), THREADS, 0, stream>>>(
      scores.data, labels.data(), losses.data(), d_scores.data, scores.rows, scores.cols);
  check_launch();
}

}  // namespace tut::ch14
