#include "14_layers_and_fusion/separate_passes.hpp"

#include <cmath>

#include "14_layers_and_fusion/class_rows.cuh"
#include "14_layers_and_fusion/elementwise.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

template <class Row>
__global__ void __launch_bounds__(ROW_THREADS)
    softmax_kernel(const float* scores, float* probabilities, int rows, int classes, bool fours) {
  __shared__ alignas(16) float tile[Row::TILE];  // (row, class): scores, then probabilities
  const int first_row = blockIdx.x * Row::BLOCK_ROWS;
  const int size = min(Row::BLOCK_ROWS, rows - first_row) * classes;
  const std::int64_t first = std::int64_t{first_row} * classes;
  const int row = threadIdx.x / Row::LANES;
  const int mine = first_row + row < rows ? classes : 0;  // rows that are not there have none

  copy_tile(scores + first, tile, size, fours);
  __syncthreads();
  Row part{};
  part.each(mine, [&](int j, float& value) { value = tile[row * classes + j]; });
  const float scale = 1.0f / part.exponentials(mine).sum;
  part.each(mine, [&](int j, float& value) { tile[row * classes + j] = value * scale; });
  __syncthreads();
  copy_tile(tile, probabilities + first, size, fours);
}

__global__ void cross_entropy_kernel(const float* probabilities, const std::uint8_t* labels,
                                     float* losses, int rows, int classes) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < rows) losses[n] = -logf(probabilities[std::int64_t{n} * classes + labels[n]]);
}

__global__ void cross_entropy_backward_kernel(const float* probabilities,
                                              const std::uint8_t* labels, float* d_scores, int rows,
                                              int classes, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float target = i % classes == labels[i / classes] ? 1.0f : 0.0f;
  d_scores[i] = (probabilities[i] - target) / static_cast<float>(rows);
}

struct AddScaled {
  float a, b;
  __device__ float operator()(float x, float y) const { return a * x + b * y; }
};

struct AddScaledSquare {
  float a, b;
  __device__ float operator()(float x, float y) const { return a * x * x + b * y; }
};

struct AdamUpdate {
  float step_size, v_correction, epsilon;
  __device__ float operator()(float parameter, float m, float v) const {
    return parameter - step_size * m / (sqrtf(v * v_correction) + epsilon);
  }
};

void require_probabilities(MatrixView<const float> probabilities,
                           std::span<const std::uint8_t> labels) {
  require_matrix(probabilities, "the probabilities");
  require(probabilities.stride == probabilities.cols,
          "the rows of probabilities have gaps; expected strides equal to the columns");
  require_same_size(labels.size(), "the labels", probabilities.rows, "a column of probabilities");
}

}  // namespace

void softmax(MatrixView<const float> scores, MatrixView<float> probabilities, cudaStream_t stream) {
  require_same_shape(scores, "the scores", probabilities, "their softmax");
  require(scores.stride == scores.cols && probabilities.stride == probabilities.cols,
          "the rows of scores have gaps; expected strides equal to the columns");
  require(scores.cols <= MOST_CLASSES,
          {"the scores have ", scores.cols, " classes; expected at most 256"});
  const bool fours = is_aligned(scores.data, 16) && is_aligned(probabilities.data, 16);
  with_class_row(scores.cols, [&]<class Row>(Row) {
    softmax_kernel<Row><<<ceil_div(scores.rows, Row::BLOCK_ROWS), ROW_THREADS, 0, stream>>>(
        scores.data, probabilities.data, scores.rows, scores.cols, fours);
  });
  check_launch();
}

void cross_entropy(MatrixView<const float> probabilities, std::span<const std::uint8_t> labels,
                   std::span<float> losses, cudaStream_t stream) {
  require_probabilities(probabilities, labels);
  require_same_size(losses.size(), "the losses", labels.size(), "the labels");
  cross_entropy_kernel<<<element_blocks(labels.size()), ELEMENT_THREADS, 0, stream>>>(
      probabilities.data, labels.data(), losses.data(), probabilities.rows, probabilities.cols);
  check_launch();
}

void cross_entropy_backward(MatrixView<const float> probabilities,
                            std::span<const std::uint8_t> labels, MatrixView<float> d_scores,
                            cudaStream_t stream) {
  require_probabilities(probabilities, labels);
  require_same_shape(probabilities, "the probabilities", d_scores, "the scores' gradient");
  const std::size_t size = std::size_t{1} * probabilities.rows * probabilities.cols;
  cross_entropy_backward_kernel<<<element_blocks(size), ELEMENT_THREADS, 0, stream>>>(
      probabilities.data, labels.data(), d_scores.data, probabilities.rows, probabilities.cols,
      size);
  check_launch();
}

void add_scaled(float a, std::span<const float> x, float b, std::span<float> y,
                cudaStream_t stream) {
  require_same_size(x.size(), "x", y.size(), "y");
  require_elements(x.size(), x.data(), "x");
  launch_elementwise(AddScaled{a, b}, x.size(), stream, y.data(), x.data(),
                     static_cast<const float*>(y.data()));
}

void add_scaled_square(float a, std::span<const float> x, float b, std::span<float> y,
                       cudaStream_t stream) {
  require_same_size(x.size(), "x", y.size(), "y");
  require_elements(x.size(), x.data(), "x");
  launch_elementwise(AddScaledSquare{a, b}, x.size(), stream, y.data(), x.data(),
                     static_cast<const float*>(y.data()));
}

void adam_update(std::span<float> parameters, std::span<const float> m, std::span<const float> v,
                 float step_size, float v_correction, float epsilon, cudaStream_t stream) {
  require_same_size(parameters.size(), "the parameters", m.size(), "the mean gradient");
  require_same_size(parameters.size(), "the parameters", v.size(), "the mean square");
  require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  launch_elementwise(AdamUpdate{step_size, v_correction, epsilon}, m.size(), stream,
                     parameters.data(), static_cast<const float*>(parameters.data()), m.data(),
                     v.data());
}

void sgd_momentum_in_passes(std::span<float> parameters, std::span<float> velocity,
                            std::span<const float> gradient, float learning_rate, float momentum,
                            cudaStream_t stream) {
  add_scaled(1.0f, gradient, momentum, velocity, stream);
  add_scaled(-learning_rate, velocity, 1.0f, parameters, stream);
}

void adam_in_passes(std::span<float> parameters, std::span<float> m, std::span<float> v,
                    std::span<const float> gradient, int step, const AdamOptions& options,
                    cudaStream_t stream) {
  const double left1 = 1.0 - std::pow(static_cast<double>(options.beta1), step);
  const double left2 = 1.0 - std::pow(static_cast<double>(options.beta2), step);
  add_scaled(1.0f - options.beta1, gradient, options.beta1, m, stream);
  add_scaled_square(1.0f - options.beta2, gradient, options.beta2, v, stream);
  adam_update(parameters, m, v, static_cast<float>(options.learning_rate / left1),
              static_cast<float>(1.0 / left2), options.epsilon, stream);
}

void softmax_cross_entropy_in_passes(MatrixView<const float> scores,
                                     std::span<const std::uint8_t> labels,
                                     MatrixView<float> probabilities, std::span<float> losses,
                                     MatrixView<float> d_scores, cudaStream_t stream) {
  softmax(scores, probabilities, stream);
  cross_entropy(probabilities, labels, losses, stream);
  cross_entropy_backward(probabilities, labels, d_scores, stream);
}

}  // namespace tut::ch14
