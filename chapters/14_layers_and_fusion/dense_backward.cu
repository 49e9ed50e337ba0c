#include <cstdint>
#include <string>

#include "14_layers_and_fusion/bias.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/dense_tiles.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

// For few outputs: a thread an element of the gradient.
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

void require_dense_backward(MatrixView<const float> in, MatrixView<const float> weights,
                            MatrixView<const float> d_out, MatrixView<float> d_in,
                            MatrixView<float> d_weights) {
  require_matrix(d_out, "the output's gradient");
  if (weights.cols != in.cols || d_out.rows != in.rows || d_out.cols != weights.rows) {
    require(false, {"dense shapes do not fit: the input is ", shape_part(in), ", the weights are ",
                    shape_part(weights), ", the output's gradient is ", shape_part(d_out),
                    "; expected (N, I), (J, I), (N, J)"});
  }
  require_same_shape(in, "the input", d_in, "its gradient");
  require_same_shape(weights, "the weights", d_weights, "their gradient");
  require(in.stride == in.cols && weights.stride == weights.cols && d_out.stride == d_out.cols &&
              d_in.stride == d_in.cols && d_weights.stride == d_weights.cols,
          "a dense layer's rows have gaps; expected strides equal to the columns");
}

}  // namespace

void dense_backward(MatrixView<const float> in, MatrixView<const float> weights,
                    MatrixView<const float> d_out, MatrixView<float> d_in,
                    MatrixView<float> d_weights, float* d_bias, cudaStream_t stream) {
  require_dense_backward(in, weights, d_out, d_in, d_weights);
  require(d_bias != nullptr, "the bias's gradient has no data (a null pointer)");
  const int examples = in.rows, inputs = in.cols, outputs = d_out.cols;
  if (outputs <= 16 && examples <= 65535) {
    const int blocks = ceil_div(inputs, THREADS);
    dense_backward_input_kernel<<<dim3(blocks, examples), THREADS, 0, stream>>>(
        weights.data, d_out.data, d_in.data, inputs, outputs);
    check_launch();
    dense_backward_weights_kernel<<<dim3(blocks, outputs), THREADS, 0, stream>>>(
        in.data, d_out.data, d_weights.data, examples, inputs, outputs);
    check_launch();
  } else {
    const int all_outputs = round_up(outputs, DenseTiles::BK);
    launch_dense_tiles<true, false>(d_out.data, weights.data, nullptr, d_in.data, examples, inputs,
                                    outputs, all_outputs, stream);
    const int all_examples = round_up(examples, DenseTiles::BK);
    launch_dense_tiles<false, false>(d_out.data, in.data, nullptr, d_weights.data, outputs, inputs,
                                     examples, all_examples, stream);
  }
  bias_backward(TensorView<const float>{d_out.data, examples, outputs, 1, 1}, d_bias, stream);
}

}  // namespace tut::ch14
