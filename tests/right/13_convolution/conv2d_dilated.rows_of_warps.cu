// A warp takes 32 pixels of a row; planes one after the other.
#include "13_convolution/conv2d_dilated.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void convolve(TensorView<const float> in, TensorView<const float> weights,
                         const float* bias, TensorView<float> out, Conv2dOptions options,
                         int dilation) {
  const int x = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  for (int plane = 0; plane < out.n * out.c; ++plane) {
    const int filter = plane % out.c, image = plane / out.c;
    for (int y = row; y < out.h; y += gridDim.y * 4) {
      if (x >= out.w) continue;
      float sum = 0.0f;
      for (int tap = 0; tap < in.c * weights.h * weights.h; ++tap) {
        const int j = tap % weights.h, i = tap / weights.h % weights.h;
        const int c = tap / weights.h / weights.h;
        const int from_y = y * options.stride - options.padding + i * dilation;
        const int from_x = x * options.stride - options.padding + j * dilation;
        if (from_y < 0 || from_y >= in.h || from_x < 0 || from_x >= in.w) continue;
        sum = fmaf(in(image, c, from_y, from_x), weights(filter, c, i, j), sum);
      }
      out(image, filter, y, x) = bias[filter] + sum;
    }
  }
}

}  // namespace

void conv2d_dilated(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                    TensorView<float> out, Conv2dOptions options, int dilation,
                    cudaStream_t stream) {
  require(bias != nullptr && dilation >= 1, "there is no bias, or the dilation is below 1");
  const int span = dilated_side(weights.h, dilation);
  const ConvolutionShape s{in.n,          in.c, in.h, in.w, weights.n, span, options.padding,
                           options.stride};
  require_images(s);
  require_tensor(weights, "the weights", weights.n, in.c, weights.h, weights.h, "square filters");
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(out, "the output", in.n, weights.n, s.out_h(), s.out_w(), "what filters fit on");
  const dim3 grid(ceil_div(out.w, 32), std::min(ceil_div(out.h, 4), 64));
  convolve<<<grid, dim3(32, 4), 0, stream>>>(in, weights, bias, out, options, dilation);
  check_launch();
}

}  // namespace tut::ch13
