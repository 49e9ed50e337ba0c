// Tiles of 8 x 64, staged by numbered pixels.
#include "13_convolution/conv2d_depthwise.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int H = 8, W = 64, EDGE = depthwise_max_side - 1;

__global__ void convolve(TensorView<const float> in, TensorView<const float> weights,
                         const float* bias, TensorView<float> out, int padding) {
  __shared__ float pixels[(H + EDGE) * (W + EDGE)];
  const int across = ceil_div(out.w, W), down = ceil_div(out.h, H);
  const int tile = blockIdx.x % (across * down), plane = blockIdx.x / (across * down);
  const int side = weights.h, width = W + side - 1, channel = plane % in.c, image = plane / in.c;
  const int y0 = tile / across * H, x0 = tile % across * W;
  for (int t = threadIdx.x; t < width * (H + side - 1); t += blockDim.x) {
    const int y = y0 - padding + t / width, x = x0 - padding + t % width;
    pixels[t] = y < 0 || y >= in.h || x < 0 || x >= in.w ? 0.0f : in(image, channel, y, x);
  }
  __syncthreads();
  const int row = threadIdx.x / W, col = threadIdx.x % W;
  if (y0 + row >= out.h || x0 + col >= out.w) return;
  float sum = bias[channel];
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j)
      sum += pixels[(row + i) * width + col + j] * weights(channel, 0, i, j);
  }
  out(image, channel, y0 + row, x0 + col) = sum;
}

}  // namespace

void conv2d_depthwise(TensorView<const float> in, TensorView<const float> weights,
                      const float* bias, TensorView<float> out, int padding, cudaStream_t stream) {
  require(bias != nullptr && padding >= 0 && weights.h <= depthwise_max_side,
          "there is no bias, or the padding or the filters make no sense");
  const ConvolutionShape s{in.n, in.c, in.h, in.w, in.c, weights.h, padding, 1};
  require_images(s);
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(weights, "the weights", in.c, 1, weights.h, weights.h, "a filter a channel");
  require_tensor(out, "the output", in.n, in.c, s.out_h(), s.out_w(), "what filters fit on");
  const int tiles = ceil_div(out.w, W) * ceil_div(out.h, H);
  convolve<<<tiles * out.n * out.c, H * W, 0, stream>>>(in, weights, bias, out, padding);
  check_launch();
}

}  // namespace tut::ch13
