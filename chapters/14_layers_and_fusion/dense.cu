#include "14_layers_and_fusion/dense.hpp"

#include <algorithm>
#include <cstdint>

#include "14_layers_and_fusion/dense_tiles.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

// For few outputs: a thread an output. Several sums run side by side: one alone would wait for
// every addition to finish.
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

// Adds the slices' copies of the output, in order, and the bias.
__global__ void dense_sum_kernel(const float* copies, const float* bias, float* out, int slices,
                                 std::int64_t size, int outputs) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = bias[i % outputs];
  for (int s = 0; s < slices; ++s) sum += copies[s * size + i];
  out[i] = sum;
}

void require_dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
                   MatrixView<const float> out) {
  require_matrix(in, "the input");
  require_matrix(weights, "the weights");
  require_matrix(out, "the output");
  if (weights.cols != in.cols || out.rows != in.rows || out.cols != weights.rows) {
    require(false, {"dense shapes do not fit: the input is ", shape_part(in), ", the weights are ",
                    shape_part(weights), ", the output is ", shape_part(out),
                    "; expected (N, I), (J, I), (N, J)"});
  }
  require(in.stride == in.cols && weights.stride == weights.cols && out.stride == out.cols,
          "a dense layer's rows have gaps; expected strides equal to the columns");
  require(bias != nullptr, "the bias has no data (a null pointer)");
}

bool has_few_outputs(int examples, int inputs, int outputs) {
  return outputs <= 16 && inputs <= 2048 && examples <= 65535;
}

// How much of the inputs one block adds up: so little that there are blocks for a large GPU, so
// much that the copies are fewer than what they are made of. Depends on the shape alone, and so do
// the sums.
int slice_of(int examples, int inputs, int outputs) {
  using T = DenseTiles;
  const int tiles = ceil_div(examples, T::BM) * ceil_div(outputs, T::BN);
  const int slices = std::max(1, 256 / tiles);
  return round_up(std::max(128, ceil_div(inputs, slices)), T::BK);
}

}  // namespace

std::size_t dense_scratch(int examples, int inputs, int outputs) {
  if (has_few_outputs(examples, inputs, outputs)) return 0;
  const int slices = ceil_div(inputs, slice_of(examples, inputs, outputs));
  return slices == 1 ? 0 : std::size_t{1} * slices * examples * outputs;
}

void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, std::span<float> scratch, cudaStream_t stream) {
  require_dense(in, weights, bias, out);
  if (has_few_outputs(in.rows, in.cols, out.cols)) {
    const dim3 block(16, 8);
    const dim3 grid(ceil_div(out.cols, 16), ceil_div(out.rows, 8));
    dense_kernel<<<grid, block, 0, stream>>>(in.data, weights.data, bias, out.data, in.rows,
                                             in.cols, out.cols);
    return check_launch();
  }
  const std::size_t needed = dense_scratch(in.rows, in.cols, out.cols);
  if (scratch.empty() || needed == 0) {
    const int all = round_up(in.cols, DenseTiles::BK);
    return launch_dense_tiles<true, true>(in.data, weights.data, bias, out.data, in.rows, out.cols,
                                          in.cols, all, stream);
  }
  require(scratch.size() >= needed,
          {"the scratch memory holds ", scratch.size(), " floats; expected ", needed});
  const int slice = slice_of(in.rows, in.cols, out.cols);
  launch_dense_tiles<true, true>(in.data, weights.data, nullptr, scratch.data(), in.rows, out.cols,
                                 in.cols, slice, stream);
  const std::int64_t size = std::int64_t{out.rows} * out.cols;
  dense_sum_kernel<<<static_cast<unsigned>(ceil_div(size, THREADS)), THREADS, 0, stream>>>(
      scratch.data(), bias, out.data, ceil_div(in.cols, slice), size, out.cols);
  check_launch();
}

void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, cudaStream_t stream) {
  dense(in, weights, bias, out, {}, stream);
}

}  // namespace tut::ch14
