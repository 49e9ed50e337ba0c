#include "16_cnn_trainer/classify.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

__global__ void classify_kernel(const float* scores, std::uint8_t* predictions, int rows,
                                int classes) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= rows) return;
  const float* score = scores + std::int64_t{n} * classes;
  int best = 0;
  for (int j = 1; j < classes; ++j) best = score[j] > score[best] ? j : best;
  predictions[n] = static_cast<std::uint8_t>(best);
}

}  // namespace

void classify(MatrixView<const float> scores, std::span<std::uint8_t> predictions,
              cudaStream_t stream) {
  constexpr int THREADS = 32;
  require_matrix(scores, "the scores");
  require(scores.stride == scores.cols && scores.cols <= 256,
          "the scores have gaps or too many classes; expected rows of at most 256, without gaps");
  require_same_size(predictions.size(), "the predictions", scores.rows, "a column of scores");
  classify_kernel<<<ceil_div(scores.rows, THREADS), THREADS, 0, stream>>>(
      scores.data, predictions.data(), scores.rows, scores.cols);
  check_launch();
}

}  // namespace tut::ch16
