#include <cstdint>
#include <string>

#include "07_register_tiling/thread_tile.hpp"
#include "14_layers_and_fusion/bias.hpp"
#include "14_layers_and_fusion/dense.hpp"
#include "14_layers_and_fusion/dense_tiles.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int INPUTS = 32, ROWS = 16;  // of a block: columns of the input, and rows of threads
constexpr int CHUNK = 64;              // examples whose gradients are staged together

// For few outputs: all three gradients in one pass over the input. A thread has a column of the
// input, its weights and their gradients in registers, and every ROWS-th example; a value of the
// input and a gradient of the output are read once.
__global__ void __launch_bounds__(INPUTS* ROWS)
    dense_few_backward_kernel(const float* in, const float* weights, const float* d_out,
                              float* d_in, float* d_weights, float* d_bias, int examples,
                              int inputs, int outputs) {
  constexpr int OUTPUTS = FEW_OUTPUTS;
  __shared__ alignas(16) float gradients[CHUNK][OUTPUTS];  // (example, output), 0 beyond the last
  __shared__ float parts[ROWS][OUTPUTS][INPUTS];           // (row of threads, output, column)
  const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * INPUTS + tx;
  const int i = blockIdx.x * INPUTS + tx;
  float w[OUTPUTS], d_w[OUTPUTS] = {}, d_b = 0.0f;
#pragma unroll
  for (int j = 0; j < OUTPUTS; ++j) {
    w[j] = i < inputs && j < outputs ? weights[std::int64_t{j} * inputs + i] : 0.0f;
  }

  for (int first = 0; first < examples; first += CHUNK) {
    const int count = min(CHUNK, examples - first);
    for (int k = thread; k < count * OUTPUTS; k += INPUTS * ROWS) {
      const int n = k / OUTPUTS, j = k % OUTPUTS;
      gradients[n][j] = j < outputs ? d_out[std::int64_t{first + n} * outputs + j] : 0.0f;
    }
    __syncthreads();
    //! [few]
#pragma unroll 4
    for (int n = ty; n < count; n += ROWS) {
      const std::int64_t place = std::int64_t{first + n} * inputs + i;
      const float x = i < inputs ? in[place] : 0.0f;
      float g[OUTPUTS], sum = 0.0f;
      ch07::read_fours<1>(gradients[n], g);
#pragma unroll
      for (int j = 0; j < OUTPUTS; ++j) {
        d_w[j] += g[j] * x;
        sum += g[j] * w[j];
      }
      if (i < inputs) d_in[place] = sum;
      if (tx < OUTPUTS) d_b += gradients[n][tx];
    }
    //! [few]
    __syncthreads();
  }

  // The rows of threads add up what they found, in their order.
#pragma unroll
  for (int j = 0; j < OUTPUTS; ++j) parts[ty][j][tx] = d_w[j];
  __syncthreads();
  for (int j = ty; j < outputs; j += ROWS) {
    float sum = 0.0f;
    for (int row = 0; row < ROWS; ++row) sum += parts[row][j][tx];
    if (i < inputs) d_weights[std::int64_t{j} * inputs + i] = sum;
  }
  if (blockIdx.x > 0) return;
  __syncthreads();
  parts[ty][0][tx] = d_b;
  __syncthreads();
  if (ty == 0 && tx < outputs) {
    float sum = 0.0f;
    for (int row = 0; row < ROWS; ++row) sum += parts[row][0][tx];
    d_bias[tx] = sum;
  }
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
  if (outputs <= FEW_OUTPUTS) {
    dense_few_backward_kernel<<<ceil_div(inputs, INPUTS), dim3(INPUTS, ROWS), 0, stream>>>(
        in.data, weights.data, d_out.data, d_in.data, d_weights.data, d_bias, examples, inputs,
        outputs);
    return check_launch();
  }
  const int all_outputs = round_up(outputs, DenseTiles::BK);
  launch_dense_tiles<true, false>(d_out.data, weights.data, nullptr, d_in.data, examples, inputs,
                                  outputs, all_outputs, stream);
  const int all_examples = round_up(examples, DenseTiles::BK);
  launch_dense_tiles<false, false>(d_out.data, in.data, nullptr, d_weights.data, outputs, inputs,
                                   examples, all_examples, stream);
  bias_backward(TensorView<const float>{d_out.data, examples, outputs, 1, 1}, d_bias, stream);
}

}  // namespace tut::ch14
