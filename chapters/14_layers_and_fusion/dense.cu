#include "14_layers_and_fusion/dense.hpp"

#include <algorithm>
#include <cstdint>

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/dense_tiles.hpp"
#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

// For few outputs: a warp an example, whose lanes share out the inputs. What a lane reads of the
// example serves all outputs. WIDTH: inputs that one load brings.
template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    dense_few_kernel(const float* in, const float* weights, const float* bias, float* out,
                     int examples, int inputs, int outputs) {
  const int lane = threadIdx.x % 32;
  const int n = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  if (n >= examples) return;  // a whole warp
  //! [few]
  float sums[FEW_OUTPUTS] = {};
  for (int i = lane * WIDTH; i < inputs; i += 32 * WIDTH) {
    float x[WIDTH];
    ch08::load_group(in + std::int64_t{n} * inputs + i, x);
#pragma unroll
    for (int j = 0; j < FEW_OUTPUTS; ++j) {
      if (j >= outputs) break;
      float w[WIDTH];
      ch08::load_group(weights + j * inputs + i, w);
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) sums[j] += x[k] * w[k];
    }
  }
  // Lane j keeps output j, so that the warp writes its outputs in one request.
  float mine = 0.0f;
#pragma unroll
  for (int j = 0; j < FEW_OUTPUTS; ++j) {
    if (j < outputs) {
      const float sum = ch08::warp_reduce(sums[j], ch08::Add());
      if (lane == j) mine = sum;
    }
  }
  if (lane < outputs) out[std::int64_t{n} * outputs + lane] = mine + bias[lane];
  //! [few]
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

bool has_few_outputs(int inputs, int outputs) { return outputs <= FEW_OUTPUTS && inputs <= 2048; }

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
  if (has_few_outputs(inputs, outputs)) return 0;
  const int slices = ceil_div(inputs, slice_of(examples, inputs, outputs));
  return slices == 1 ? 0 : std::size_t{1} * slices * examples * outputs;
}

void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, std::span<float> scratch, cudaStream_t stream) {
  require_dense(in, weights, bias, out);
  if (has_few_outputs(in.cols, out.cols)) {
    const bool fours = in.cols % 4 == 0 && is_aligned(in.data, 16) && is_aligned(weights.data, 16);
    const auto kernel = fours ? dense_few_kernel<4> : dense_few_kernel<1>;
    kernel<<<ceil_div(in.rows, THREADS / 32), THREADS, 0, stream>>>(
        in.data, weights.data, bias, out.data, in.rows, in.cols, out.cols);
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
