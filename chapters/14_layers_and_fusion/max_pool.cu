#include "14_layers_and_fusion/max_pool.hpp"

#include <cstdint>
#include <string>

#include "13_convolution/row_tiles.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

// H is even, so the rows of all planes are one tall plane of pairs of rows.
__global__ void max_pool_kernel(const float* in, float* out, int out_width) {
  const int x = threadIdx.x;
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const float* upper = in + 4 * row * out_width + 2 * x;
  const float* lower = upper + 2 * out_width;
  const float top = upper[1] > upper[0] ? upper[1] : upper[0];
  const float low = lower[1] > lower[0] ? lower[1] : lower[0];
  out[row * out_width + x] = low > top ? low : top;
}

__global__ void max_pool_backward_kernel(const float* in, const float* d_out, float* d_in,
                                         int out_width) {
  const int x = threadIdx.x;
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const std::int64_t upper = 4 * row * out_width + 2 * x;
  const std::int64_t lower = upper + 2 * out_width;
  const float a = in[upper], b = in[upper + 1], c = in[lower], d = in[lower + 1];
  // The place of the largest: one of the four, the first of equals.
  const bool right_of_top = b > a, right_of_low = d > c;
  const bool is_low = (right_of_low ? d : c) > (right_of_top ? b : a);
  const float gradient = d_out[row * out_width + x];
  const float to_top = is_low ? 0.0f : gradient;
  const float to_low = is_low ? gradient : 0.0f;
  d_in[upper] = right_of_top ? 0.0f : to_top;
  d_in[upper + 1] = right_of_top ? to_top : 0.0f;
  d_in[lower] = right_of_low ? 0.0f : to_low;
  d_in[lower + 1] = right_of_low ? to_low : 0.0f;
}

struct Launch {
  dim3 grid, block;
};

Launch launch_for(TensorView<const float> out) {
  const int rows = ch13::rows_per_block(out.h, out.w);
  const std::int64_t tiles = std::int64_t{out.n} * out.c * (out.h / rows);
  return {dim3(static_cast<unsigned>(tiles)), dim3(out.w, rows)};
}

void require_pooling(TensorView<const float> in, TensorView<const float> out) {
  require_tensor(out, "the pooled tensor", in.n, in.c, in.h / 2, in.w / 2,
                 "the input with half its rows and columns");
  if (in.data == nullptr || in.h % 2 != 0 || in.w % 2 != 0 || in.w > 2048) {
    require(false, std::string("the input is ") + shape_text(in) +
                       "; expected data, even rows and columns, and at most 2048 columns");
  }
}

}  // namespace

void max_pool(TensorView<const float> in, TensorView<float> out, cudaStream_t stream) {
  require_pooling(in, out);
  const auto [grid, block] = launch_for(out);
  max_pool_kernel<<<grid, block, 0, stream>>>(in.data, out.data, out.w);
  check_launch();
}

void max_pool_backward(TensorView<const float> in, TensorView<const float> d_out,
                       TensorView<float> d_in, cudaStream_t stream) {
  require_pooling(in, d_out);
  require_tensor(d_in, "the input's gradient", in.n, in.c, in.h, in.w, "the shape of the input");
  const auto [grid, block] = launch_for(d_out);
  max_pool_backward_kernel<<<grid, block, 0, stream>>>(in.data, d_out.data, d_in.data, d_out.w);
  check_launch();
}

}  // namespace tut::ch14
