#include "14_layers_and_fusion/dense.hpp"

#include <cstdint>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

// Several sums run side by side: one alone would wait for every addition to finish.
__global__ void dense_kernel(const float* in, const float* weights, const float* bias, float* out,
                             int examples, int inputs, int outputs) {
  constexpr int CHAINS = 8;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int n = blockIdx.y * blockDim.y + threadIdx.y;
  if (j >= outputs || n >= examples) return;
  const int whole = inputs / CHAINS * CHAINS;
  const float* x = in + std::int64_t{n} * inputs;
  const float* w = weights + std::int64_t{j} * inputs;
  float chain[CHAINS] = {};
  for (int i = 0; i < whole; i += CHAINS) {
#pragma unroll
    for (int s = 0; s < CHAINS; ++s) chain[s] += x[i + s] * w[i + s];
  }
  float sum = bias[j];
  for (int i = whole; i < inputs; ++i) sum += x[i] * w[i];
#pragma unroll
  for (int s = 0; s < CHAINS; ++s) sum += chain[s];
  out[std::int64_t{n} * outputs + j] = sum;
}

__global__ void dense_backward_input_kernel(const float* weights, const float* d_out, float* d_in,
                                            int inputs, int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int n = blockIdx.y;
  if (i >= inputs) return;
  const float* gradient = d_out + std::int64_t{n} * outputs;
  float sum = 0.0f;
  for (int j = 0; j < outputs; ++j) sum += gradient[j] * weights[std::int64_t{j} * inputs + i];
  d_in[std::int64_t{n} * inputs + i] = sum;
}

__global__ void dense_backward_weights_kernel(const float* in, const float* d_out, float* d_weights,
                                              int examples, int inputs, int outputs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y;
  if (i >= inputs) return;
  float sum = 0.0f;
  for (int n = 0; n < examples; ++n) {
    sum += d_out[std::int64_t{n} * outputs + j] * in[std::int64_t{n} * inputs + i];
  }
  d_weights[std::int64_t{j} * inputs + i] = sum;
}

__global__ void dense_backward_bias_kernel(const float* d_out, float* d_bias, int examples,
                                           int outputs) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= outputs) return;
  float sum = 0.0f;
  for (int n = 0; n < examples; ++n) sum += d_out[std::int64_t{n} * outputs + j];
  d_bias[j] = sum;
}

void require_dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
                   MatrixView<const float> out) {
  require_matrix(in, "the input");
  require_matrix(weights, "the weights");
  require_matrix(out, "the output");
  if (weights.cols != in.cols || out.rows != in.rows || out.cols != weights.rows) {
    require(false, std::string("dense shapes do not fit: the input is ") + shape_text(in) +
                       ", the weights are " + shape_text(weights) + ", the output is " +
                       shape_text(out) + "; expected (N, I), (J, I), (N, J)");
  }
  require(in.stride == in.cols && weights.stride == weights.cols && out.stride == out.cols,
          "a dense layer's rows have gaps; expected strides equal to the columns");
  require(bias != nullptr, "the bias has no data (a null pointer)");
}

}  // namespace

void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, cudaStream_t stream) {
  require_dense(in, weights, bias, out);
  const dim3 block(16, 8);
  const dim3 grid(ceil_div(out.cols, 16), ceil_div(out.rows, 8));
  dense_kernel<<<grid, block, 0, stream>>>(in.data, weights.data, bias, out.data, in.rows, in.cols,
                                           out.cols);
  check_launch();
}

void dense_backward(MatrixView<const float> in, MatrixView<const float> weights,
                    MatrixView<const float> d_out, MatrixView<float> d_in,
                    MatrixView<float> d_weights, float* d_bias, cudaStream_t stream) {
  require_dense(in, weights, d_bias, d_out);
  require_same_shape(in, "the input", d_in, "its gradient");
  require_same_shape(weights, "the weights", d_weights, "their gradient");
  require(d_in.stride == d_in.cols && d_weights.stride == d_weights.cols,
          "a gradient's rows have gaps; expected strides equal to the columns");
  const int blocks = ceil_div(in.cols, THREADS);
  dense_backward_input_kernel<<<dim3(blocks, in.rows), THREADS, 0, stream>>>(
      weights.data, d_out.data, d_in.data, in.cols, d_out.cols);
  check_launch();
  dense_backward_weights_kernel<<<dim3(blocks, d_out.cols), THREADS, 0, stream>>>(
      in.data, d_out.data, d_weights.data, in.rows, in.cols, d_out.cols);
  check_launch();
  dense_backward_bias_kernel<<<ceil_div(d_out.cols, THREADS), THREADS, 0, stream>>>(
      d_out.data, d_bias, d_out.rows, d_out.cols);
  check_launch();
}

}  // namespace tut::ch14
