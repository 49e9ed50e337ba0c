#include "14_layers_and_fusion/softmax_cross_entropy.hpp"

#include "14_layers_and_fusion/class_rows.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

//! [kernel]
template <class Row>
__global__ void __launch_bounds__(ROW_THREADS)
    softmax_cross_entropy_kernel(const float* scores, const std::uint8_t* labels, float* losses,
                                 float* d_scores, int rows, int classes, bool fours) {
  __shared__ alignas(16) float tile[Row::TILE];  // (row, class): scores, then gradients
  const int first_row = blockIdx.x * Row::BLOCK_ROWS;
  const int size = min(Row::BLOCK_ROWS, rows - first_row) * classes;
  const std::int64_t first = std::int64_t{first_row} * classes;
  const int row = first_row + threadIdx.x / Row::LANES;
  const int end = row < rows ? classes : 0;  // rows beyond the last have no classes
  float* mine = tile + threadIdx.x / Row::LANES * classes;

  //! [stage]
  // The block's rows lie one after another, so the block reads them as one vector.
  copy_tile(scores + first, tile, size, fours);
  __syncthreads();
  Row part{};
  part.each(end, [&](int j, float& value) { value = mine[j]; });
  const int label = row < rows ? labels[row] : 0;
  const float label_score = row < rows ? mine[label] : 0.0f;
  __syncthreads();  // no thread overwrites a score that another thread still reads
  //! [stage]

  //! [loss]
  // Loss and gradient, of what is in registers: the probabilities are never stored.
  const auto [largest, sum] = part.exponentials(end);
  if (row < rows && threadIdx.x % Row::LANES == 0) losses[row] = logf(sum) + largest - label_score;
  const float share = 1.0f / static_cast<float>(rows), scale = share / sum;
  part.each(end,
            [&](int j, float& value) { mine[j] = value * scale - (j == label ? share : 0.0f); });
  __syncthreads();
  copy_tile(tile, d_scores + first, size, fours);
  //! [loss]
}
//! [kernel]

}  // namespace

void softmax_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                           std::span<float> losses, MatrixView<float> d_scores,
                           cudaStream_t stream) {
  require_same_shape(scores, "the scores", d_scores, "their gradient");
  require_same_size(labels.size(), "the labels", scores.rows, "a column of scores");
  require_same_size(losses.size(), "the losses", scores.rows, "a column of scores");
  require(scores.stride == scores.cols && d_scores.stride == d_scores.cols,
          "the rows of scores have gaps; expected strides equal to the columns");
  require(scores.cols <= MOST_CLASSES,
          {"the scores have ", scores.cols, " classes; expected at most 256"});
  const bool fours =
      is_aligned(scores.data, sizeof(float4)) && is_aligned(d_scores.data, sizeof(float4));
  with_class_row(scores.cols, [&]<class Row>(Row) {
    softmax_cross_entropy_kernel<Row>
        <<<ceil_div(scores.rows, Row::BLOCK_ROWS), ROW_THREADS, 0, stream>>>(
            scores.data, labels.data(), losses.data(), d_scores.data, scores.rows, scores.cols,
            fours);
  });
  check_launch();
}

}  // namespace tut::ch14
