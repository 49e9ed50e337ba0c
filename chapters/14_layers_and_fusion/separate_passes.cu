#include "14_layers_and_fusion/separate_passes.hpp"

#include <cmath>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8, MAX_CLASSES = 256;

__global__ void softmax_kernel(const float* scores, float* probabilities, int rows, int classes) {
  __shared__ float tile[BY * MAX_CLASSES];  // the block's rows: scores, exponentials, shares
  __shared__ float share[BY][BX];           // of each thread: its largest score, then its sum
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int first_row = blockIdx.x * BY;
  const int size = min(BY, rows - first_row) * classes;
  const int row = ty * classes;
  const int end = first_row + ty < rows ? classes : 0;
  const std::int64_t first = std::int64_t{first_row} * classes;

  for (int i = ty * BX + tx; i < size; i += BX * BY) tile[i] = scores[first + i];
  __syncthreads();

  float largest = -INFINITY;
  for (int j = tx; j < end; j += BX) largest = fmaxf(largest, tile[row + j]);
  share[ty][tx] = largest;
  __syncthreads();
  for (int step = BX / 2; step > 0; step /= 2) {
    if (tx < step) share[ty][tx] = fmaxf(share[ty][tx], share[ty][tx + step]);
    __syncthreads();
  }
  largest = share[ty][0];
  __syncthreads();  // nobody overwrites the largest before all have read it

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
  for (int j = tx; j < end; j += BX) tile[row + j] /= sum;
  __syncthreads();
  for (int i = ty * BX + tx; i < size; i += BX * BY) probabilities[first + i] = tile[i];
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

template <bool SQUARED>
__global__ void add_scaled_kernel(float a, const float* x, float b, float* y, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float value = x[i];
  y[i] = (SQUARED ? a * value * value : a * value) + b * y[i];
}

__global__ void adam_update_kernel(float* parameters, const float* m, const float* v,
                                   float step_size, float v_correction, float epsilon,
                                   std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) parameters[i] -= step_size * m[i] / (sqrtf(v[i] * v_correction) + epsilon);
}

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
  require(scores.cols <= MAX_CLASSES,
          {"the scores have ", scores.cols, " classes; expected at most 256"});
  softmax_kernel<<<ceil_div(scores.rows, BY), dim3(BX, BY), 0, stream>>>(
      scores.data, probabilities.data, scores.rows, scores.cols);
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
  add_scaled_kernel<false><<<element_blocks(x.size()), ELEMENT_THREADS, 0, stream>>>(
      a, x.data(), b, y.data(), x.size());
  check_launch();
}

void add_scaled_square(float a, std::span<const float> x, float b, std::span<float> y,
                       cudaStream_t stream) {
  require_same_size(x.size(), "x", y.size(), "y");
  require_elements(x.size(), x.data(), "x");
  add_scaled_kernel<true><<<element_blocks(x.size()), ELEMENT_THREADS, 0, stream>>>(
      a, x.data(), b, y.data(), x.size());
  check_launch();
}

void adam_update(std::span<float> parameters, std::span<const float> m, std::span<const float> v,
                 float step_size, float v_correction, float epsilon, cudaStream_t stream) {
  require_same_size(parameters.size(), "the parameters", m.size(), "the mean gradient");
  require_same_size(parameters.size(), "the parameters", v.size(), "the mean square");
  require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  adam_update_kernel<<<element_blocks(m.size()), ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), m.data(), v.data(), step_size, v_correction, epsilon, m.size());
  check_launch();
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
