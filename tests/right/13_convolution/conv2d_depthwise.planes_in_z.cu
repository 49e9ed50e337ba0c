// A grid of three dimensions, of blocks of 32 x 16.
#include "13_convolution/conv2d_depthwise.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int H = 16, W = 32, EDGE = depthwise_max_side - 1;

__global__ void convolve(TensorView<const float> in, TensorView<const float> weights,
                         const float* bias, TensorView<float> out, int padding) {
  __shared__ float pixels[H + EDGE][W + EDGE];
  const int side = weights.h, plane = blockIdx.z, channel = plane % in.c, image = plane / in.c;
  const int y0 = blockIdx.y * H - padding, x0 = blockIdx.x * W - padding;
  for (int r = threadIdx.y; r < H + side - 1; r += H) {
    for (int c = threadIdx.x; c < W + side - 1; c += W) {
      const bool inside = y0 + r >= 0 && y0 + r < in.h && x0 + c >= 0 && x0 + c < in.w;
      pixels[r][c] = inside ? in(image, channel, y0 + r, x0 + c) : 0.0f;
    }
  }
  __syncthreads();
  const int y = blockIdx.y * H + threadIdx.y, x = blockIdx.x * W + threadIdx.x;
  if (y >= out.h || x >= out.w) return;
  float sum = bias[channel];
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j)
      sum += pixels[threadIdx.y + i][threadIdx.x + j] * weights(channel, 0, i, j);
  }
  out(image, channel, y, x) = sum;
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
  const dim3 grid(ceil_div(out.w, W), ceil_div(out.h, H), out.n * out.c);
  convolve<<<grid, dim3(W, H), 0, stream>>>(in, weights, bias, out, padding);
  check_launch();
}

}  // namespace tut::ch13
