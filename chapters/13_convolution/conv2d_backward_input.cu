#include "13_convolution/conv2d_backward_input.hpp"

#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/filter_bank.hpp"
#include "13_convolution/scratch.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int TURN_THREADS = 256;

constexpr int BANK = 8;

// The sizes of the convolution that computes the gradient of a layer's input: of (FILTERS, EDGE,
// EDGE) gradients with a border of zeros. A row has one thread for each of LANES columns, a full
// strip of the warp; those from the image's width on read zeros, and what they compute is dropped.
template <int SIDE_, int FILTERS, int EDGE_, int LANES_>
struct GradientLayer
    : BankLayer<SIDE_, FILTERS, EDGE_ + 2 * (SIDE_ - 1), LANES_ + SIDE_ - 1, EDGE_ + SIDE_ - 1> {
  static constexpr int EDGE = EDGE_, BORDER = SIDE_ - 1, LANES = LANES_;
  static_assert(LANES >= EDGE + BORDER, "a thread for each column of the image");
};
using CourseLayer = GradientLayer<5, 16, 8, 16>;    // of images of 12 x 12
using ExampleLayer = GradientLayer<3, 64, 24, 32>;  // of images of 26 x 26

// A thread writes one column of a padded plane: copies of d_out's elements, zeros of the border.
template <class Layer>
__global__ void pad_kernel(const float* d_out, float* padded) {
  constexpr int BORDER = Layer::BORDER, EDGE = Layer::EDGE;
  const int x = threadIdx.x;
  const std::int64_t plane = blockIdx.x;
  const float* from = d_out + plane * EDGE * EDGE;
  float* to = padded + plane * Layer::PLANE + x;
#pragma unroll
  for (int y = 0; y < Layer::HEIGHT; ++y) {
    const int at = (y - BORDER) * EDGE + x - BORDER;
    const bool inside = y >= BORDER && y < BORDER + EDGE && x >= BORDER && x < BORDER + EDGE;
    to[y * Layer::PITCH] = inside ? from[at] : 0.0f;
  }
}

// A thread writes one weight of (C, K, F, F): the filters, turned half round.
__global__ void turn_kernel(TensorView<const float> weights, TensorView<float> turned) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= turned.size()) return;
  const int side = turned.w;
  const int j = index % side;
  const int i = index / side % side;
  const int k = index / (side * side) % turned.c;
  const int c = index / (side * side) / turned.c;
  turned.data[index] = weights(k, c, side - 1 - i, side - 1 - j);
}

// A block computes whole planes of BANK channels, a thread ROWS pixels of each. The results go
// through shared memory, since they are written without the columns that were dropped.
template <class Layer, int ROWS>
__global__ void gradient_bank_kernel(const float* padded, const float* turned, float* d_in,
                                     int channels) {
  constexpr int HEIGHT = Layer::OUT_HEIGHT, WIDTH = Layer::OUT_WIDTH, LANES = Layer::LANES;
  __shared__ float planes[BANK * HEIGHT * LANES];  // (channel, y, x)
  const int x = threadIdx.x;
  const int y = threadIdx.y * ROWS;
  const int first = blockIdx.x * BANK;
  const std::int64_t image = blockIdx.y;
  const float* corner = padded + image * Layer::CHANNELS * Layer::PLANE + y * Layer::PITCH + x;
  const float* bank = turned + first * Layer::CHANNELS * Layer::SIDE * Layer::SIDE;

  float sum[ROWS][BANK] = {};  // (row, channel)
  add_bank<Layer>(corner, bank, sum);
#pragma unroll
  for (int c = 0; c < BANK; ++c) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) planes[(c * HEIGHT + y + r) * LANES + x] = sum[r][c];
  }
  __syncthreads();

  constexpr int THREADS = LANES * (HEIGHT / ROWS), STEPS = BANK * HEIGHT * WIDTH / THREADS;
  static_assert(STEPS * THREADS == BANK * HEIGHT * WIDTH, "all threads copy equally many");
  const int thread = threadIdx.y * LANES + x;
  float* to = d_in + (image * channels + first) * Layer::OUT_AREA;
#pragma unroll
  for (int step = 0; step < STEPS; ++step) {
    const int at = step * THREADS + thread;
    to[at] = planes[at / WIDTH * LANES + at % WIDTH];
  }
}

template <class Layer>
bool is_for(TensorView<const float> d_out, TensorView<const float> weights) {
  return d_out.c == Layer::CHANNELS && d_out.h == Layer::EDGE && d_out.w == Layer::EDGE &&
         weights.h == Layer::SIDE && weights.c % BANK == 0;
}

template <class Layer>
std::size_t padded_size(int images) {
  return std::size_t{Layer::PLANE} * Layer::CHANNELS * static_cast<std::size_t>(images);
}

template <class Layer, int ROWS>
void run(TensorView<const float> d_out, TensorView<const float> weights, TensorView<float> d_in,
         float* scratch, cudaStream_t stream) {
  static_assert(Layer::OUT_HEIGHT % ROWS == 0, "a block covers the plane exactly");
  float* padded = scratch;
  const TensorView<float> turned{scratch + padded_size<Layer>(d_out.n), weights.c, weights.n,
                                 weights.h, weights.w};
  pad_kernel<Layer><<<d_out.n * d_out.c, Layer::PITCH, 0, stream>>>(d_out.data, padded);
  check_launch();
  const int turns = static_cast<int>(turned.size());
  turn_kernel<<<ceil_div(turns, TURN_THREADS), TURN_THREADS, 0, stream>>>(weights, turned);
  check_launch();
  const dim3 block(Layer::LANES, Layer::OUT_HEIGHT / ROWS);
  const dim3 grid(d_in.c / BANK, d_in.n);
  gradient_bank_kernel<Layer, ROWS>
      <<<grid, block, 0, stream>>>(padded, turned.data, d_in.data, d_in.c);
  check_launch();
}

}  // namespace

std::size_t conv2d_backward_input_scratch(TensorView<const float> d_out,
                                          TensorView<const float> weights) {
  const auto turned = static_cast<std::size_t>(weights.size());
  if (is_for<CourseLayer>(d_out, weights)) return padded_size<CourseLayer>(d_out.n) + turned;
  if (is_for<ExampleLayer>(d_out, weights)) return padded_size<ExampleLayer>(d_out.n) + turned;
  return 0;
}

void conv2d_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                           TensorView<float> d_in, std::span<float> scratch, Conv2dOptions options,
                           cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, options);
  require_scratch(scratch, conv2d_backward_input_scratch(d_out, weights));
  if (s.padding == 0 && s.stride == 1) {
    if (is_for<CourseLayer>(d_out, weights)) {
      return run<CourseLayer, 1>(d_out, weights, d_in, scratch.data(), stream);
    }
    if (is_for<ExampleLayer>(d_out, weights)) {
      return run<ExampleLayer, 2>(d_out, weights, d_in, scratch.data(), stream);
    }
  }
  if (has_tiles(s)) return conv2d_tiles_backward_input(d_out, weights, d_in, s.padding, stream);
  conv2d_implicit_backward_input(d_out, weights, d_in, options, stream);
}

}  // namespace tut::ch13
