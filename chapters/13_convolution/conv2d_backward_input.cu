#include "13_convolution/conv2d_backward_input.hpp"

#include <cstdint>
#include <string>

#include "13_convolution/conv2d.hpp"
#include "13_convolution/row_tiles.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 256;

// A thread writes one element of the padded gradient: a copy of d_out's, or a zero of the border.
__global__ void pad_kernel(TensorView<const float> d_out, TensorView<float> padded, int border) {
  const int x = threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const std::int64_t plane = blockIdx.x;
  const int from_x = x - border, from_y = y - border;
  const bool row_inside = from_y >= 0 && from_y < d_out.h;
  const float* row = d_out.data + (plane * d_out.h + (row_inside ? from_y : 0)) * d_out.w;
  const bool inside = row_inside && from_x >= 0 && from_x < d_out.w;
  padded.data[(plane * padded.h + y) * padded.w + x] = inside ? row[from_x] : 0.0f;
}

// A thread writes one weight of (C, K, F, F), and one thread a channel its bias of zero.
__global__ void turn_kernel(TensorView<const float> weights, TensorView<float> turned,
                            float* no_bias) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < turned.n) no_bias[index] = 0.0f;
  if (index >= turned.size()) return;
  const int side = turned.w;
  const int j = index % side;
  const int i = index / side % side;
  const int k = index / (side * side) % turned.c;
  const int c = index / (side * side) / turned.c;
  turned.data[index] = weights(k, c, side - 1 - i, side - 1 - j);
}

// The three parts of the scratch memory.
struct Scratch {
  TensorView<float> padded;  // (N, K, H + F - 1, W + F - 1)
  TensorView<float> turned;  // (C, K, F, F)
  float* no_bias;            // (C)
  std::size_t size;
};

Scratch divide(float* memory, TensorView<const float> d_out, TensorView<const float> weights) {
  const int border = weights.h - 1;
  Scratch parts{};
  parts.padded = {memory, d_out.n, d_out.c, d_out.h + 2 * border, d_out.w + 2 * border};
  parts.turned = {memory + parts.padded.size(), weights.c, weights.n, weights.h, weights.w};
  parts.no_bias = parts.turned.data + parts.turned.size();
  parts.size = static_cast<std::size_t>(parts.padded.size() + parts.turned.size() + weights.c);
  return parts;
}

}  // namespace

std::size_t conv2d_backward_input_scratch(TensorView<const float> d_out,
                                          TensorView<const float> weights) {
  return divide(nullptr, d_out, weights).size;
}

void conv2d_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                           TensorView<float> d_in, std::span<float> scratch, cudaStream_t stream) {
  require_convolution(d_in, weights, d_out);
  const Scratch parts = divide(scratch.data(), d_out, weights);
  require_scratch(scratch, parts.size);
  if (parts.padded.w > 1024) {
    require(false, "the padded gradient is " + shape_text(parts.padded) +
                       "; expected at most 1024 columns");
  }

  const int rows = rows_per_block(parts.padded.h, parts.padded.w);
  const dim3 block(parts.padded.w, rows);
  const dim3 grid(d_out.n * d_out.c, parts.padded.h / rows);
  pad_kernel<<<grid, block, 0, stream>>>(d_out, parts.padded, weights.h - 1);
  check_launch();
  const int turns = static_cast<int>(parts.turned.size());
  turn_kernel<<<ceil_div(turns, THREADS), THREADS, 0, stream>>>(weights, parts.turned,
                                                                parts.no_bias);
  check_launch();
  conv2d(parts.padded, parts.turned, parts.no_bias, d_in, stream);
}

}  // namespace tut::ch13
