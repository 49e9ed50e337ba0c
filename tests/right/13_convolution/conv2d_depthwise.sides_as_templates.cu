// The side is a constant for the compiler, and numbered pixels are staged by rows that no warp
// fits.
#include "13_convolution/conv2d_depthwise.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int COLS = 32, ROWS = 8, THREADS = COLS * ROWS;
constexpr int MOST_TAPS = depthwise_max_side * depthwise_max_side;
constexpr int MOST_PIXELS = (ROWS + depthwise_max_side - 1) * (COLS + depthwise_max_side - 1);

// Grid: tiles across, tiles down, planes. The block is flat; a warp is a row of the tile.
template <int SIDE>
__global__ void __launch_bounds__(THREADS)
    depthwise_plane(const float* in, const float* weights, const float* bias, float* out,
                    int channels, int height, int width, int out_height, int out_width,
                    int padding) {
  constexpr int STAGED_COLS = COLS + SIDE - 1, STAGED = (ROWS + SIDE - 1) * STAGED_COLS;
  static_assert(STAGED <= MOST_PIXELS && SIDE * SIDE <= MOST_TAPS && SIDE * SIDE <= THREADS);
  __shared__ float pixels[STAGED];
  __shared__ float taps[SIDE * SIDE];

  const int t = threadIdx.x;
  const int plane = blockIdx.z, channel = plane % channels;
  const int top = blockIdx.y * ROWS, left = blockIdx.x * COLS;
  const float* const image = in + std::int64_t{plane} * height * width;

  if (t < SIDE * SIDE) taps[t] = weights[std::int64_t{channel} * SIDE * SIDE + t];
  for (int at = t; at < STAGED; at += THREADS) {
    const int y = top + at / STAGED_COLS - padding;
    const int x = left + at % STAGED_COLS - padding;
    float pixel = 0.0f;
    if (y >= 0 && y < height && x >= 0 && x < width) pixel = image[std::int64_t{y} * width + x];
    pixels[at] = pixel;
  }
  __syncthreads();

  const int row = t / COLS, col = t % COLS;
  const int y = top + row, x = left + col;
  if (y >= out_height || x >= out_width) return;

  float sum = bias[channel];
#pragma unroll
  for (int tap = 0; tap < SIDE * SIDE; ++tap) {
    const int i = tap / SIDE, j = tap % SIDE;
    sum = fmaf(pixels[(row + i) * STAGED_COLS + col + j], taps[tap], sum);
  }
  out[(std::int64_t{plane} * out_height + y) * out_width + x] = sum;
}

template <int SIDE>
void launch(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, int padding, cudaStream_t stream) {
  const dim3 grid(ceil_div(out.w, COLS), ceil_div(out.h, ROWS), out.n * out.c);
  depthwise_plane<SIDE><<<grid, THREADS, 0, stream>>>(in.data, weights.data, bias, out.data, in.c,
                                                      in.h, in.w, out.h, out.w, padding);
}

// Throws unless each channel has one filter, small enough, and `out` the shape that they leave.
void require_depthwise(TensorView<const float> in, TensorView<const float> weights,
                       TensorView<float> out, int padding) {
  const ConvolutionShape s{in.n, in.c, in.h, in.w, in.c, weights.h, padding, 1};
  require_images(s);
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(weights, "the weights", in.c, 1, weights.h, weights.h,
                 "a square filter for each of the input's channels");
  require_tensor(out, "the output", in.n, in.c, s.out_h(), s.out_w(),
                 "the input's images and channels, the pixels a filter fits on");
  require(weights.h <= depthwise_max_side,
          {"the filters are ", weights.h, " pixels wide; expected at most ", depthwise_max_side});
}

}  // namespace

void conv2d_depthwise(TensorView<const float> in, TensorView<const float> weights,
                      const float* bias, TensorView<float> out, int padding, cudaStream_t stream) {
  require_depthwise(in, weights, out, padding);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  using Launch = void (*)(TensorView<const float>, TensorView<const float>, const float*,
                          TensorView<float>, int, cudaStream_t);
  constexpr Launch launches[depthwise_max_side] = {launch<1>, launch<2>, launch<3>, launch<4>,
                                                   launch<5>, launch<6>, launch<7>};
  launches[weights.h - 1](in, weights, bias, out, padding, stream);
  check_launch();
}

}  // namespace tut::ch13
