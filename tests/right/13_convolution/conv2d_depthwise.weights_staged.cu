// Weights in shared memory, too; four rows a thread; a block goes from plane to plane.
#include "13_convolution/conv2d_depthwise.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int H = 32, W = 32, ROWS = 4, EDGE = depthwise_max_side - 1;

__global__ void convolve(TensorView<const float> in, TensorView<const float> weights,
                         const float* bias, TensorView<float> out, int padding) {
  __shared__ float pixels[(H + EDGE) * (W + EDGE)];
  __shared__ float taps[depthwise_max_side * depthwise_max_side];
  const int side = weights.h, width = W + side - 1;
  const int y0 = blockIdx.y * H, x0 = blockIdx.x * W;
  const int tx = threadIdx.x % W, ty = threadIdx.x / W;
  for (int plane = blockIdx.z; plane < in.n * in.c; plane += gridDim.z) {
    const int channel = plane % in.c, image = plane / in.c;
    __syncthreads();
    if (threadIdx.x < side * side)
      taps[threadIdx.x] = weights.data[channel * side * side + threadIdx.x];
    for (int r = ty; r < H + side - 1; r += H / ROWS) {
      for (int c = tx; c < width; c += W) {
        const int y = y0 + r - padding, x = x0 + c - padding;
        const bool inside = y >= 0 && y < in.h && x >= 0 && x < in.w;
        pixels[r * width + c] = inside ? in(image, channel, y, x) : 0.0f;
      }
    }
    __syncthreads();
    for (int r = ty * ROWS; r < ty * ROWS + ROWS; ++r) {
      if (y0 + r >= out.h || x0 + tx >= out.w) break;
      float sum = bias[channel];
      for (int i = 0; i < side; ++i) {
        for (int j = 0; j < side; ++j) sum += pixels[(r + i) * width + tx + j] * taps[i * side + j];
      }
      out(image, channel, y0 + r, x0 + tx) = sum;
    }
  }
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
  const dim3 grid(ceil_div(out.w, W), ceil_div(out.h, H), std::min(out.n * out.c, 100));
  convolve<<<grid, W * H / ROWS, 0, stream>>>(in, weights, bias, out, padding);
  check_launch();
}

}  // namespace tut::ch13
