#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int WARPS = 4, THREADS = 32 * WARPS;
constexpr int MAX_CLASSES = 256, EACH = MAX_CLASSES / 32;  // scores of a lane

__global__ void smoothed_cross_entropy_kernel(const float* scores, const std::uint8_t* labels,
                                              float smoothing, float* losses, float* d_scores,
                                              int rows, int classes) {
  // A warp takes one row; lane l has classes l, l + 32, l + 64 and so on, in registers.
  const int lane = threadIdx.x % 32;
  const int n = blockIdx.x * WARPS + threadIdx.x / 32;
  if (n >= rows) return;  // a whole warp
  const std::int64_t first = std::int64_t{n} * classes;
  const int label = labels[n];

  float score[EACH] = {};
  float largest = -INFINITY, total = 0.0f, label_score = 0.0f;
  // TODO: Read the lane's scores, each once; where there is no class, keep -INFINITY, whose exponential
  // is 0. On the way find the largest and the sum of the lane's own, and the label's score, which
  // one lane has.

  // TODO: Join what the lanes have found: ch08::warp_reduce(value, ch08::Max()) and ch08::Add().

  float sum = 1.0f;
  // TODO: Replace each score by exp(score - the row's largest), and add up all lanes' exponentials.

  // TODO: One lane writes the loss. The largest score was taken out of the exponentials: it comes back
  // into the logarithm of their sum.

  // TODO: All lanes write the gradient of their classes; the mean is over `rows`.
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
  smoothed_cross_entropy_kernel<<<ceil_div(scores.rows, WARPS), THREADS, 0, stream>>>(
      scores.data, labels.data(), smoothing, losses.data(), d_scores.data, scores.rows,
      scores.cols);
  check_launch();
}

}  // namespace tut::ch14
