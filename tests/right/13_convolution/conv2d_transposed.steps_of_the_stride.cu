// The taps that reach a pixel lie a stride apart: a loop over these alone.
#include "13_convolution/conv2d_transposed.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void gather(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.w) return;
  const int s = options.stride, f = weights.h;
  for (int plane = blockIdx.z; plane < out.n * out.c; plane += gridDim.z) {
    const int filter = plane % out.c, image = plane / out.c;
    for (int y = row; y < out.h; y += gridDim.y * blockDim.y) {
      float sum = 0.0f;
      for (int i = (y + options.padding) % s; i < f; i += s) {
        const int a = (y + options.padding - i) / s;
        if (i > y + options.padding || a >= in.h) continue;
        for (int j = (x + options.padding) % s; j < f; j += s) {
          const int b = (x + options.padding - j) / s;
          if (j > x + options.padding || b >= in.w) continue;
          for (int c = 0; c < in.c; ++c) sum += in(image, c, a, b) * weights(c, filter, i, j);
        }
      }
      out(image, filter, y, x) = sum + bias[filter];
    }
  }
}

}  // namespace

void conv2d_transposed(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options,
                       cudaStream_t stream) {
  require(bias != nullptr && options.padding >= 0 && options.stride >= 1,
          "there is no bias, or the options make no sense");
  const auto side = [&](int size) {
    return transposed_side(size, weights.h, options.padding, options.stride);
  };
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(weights, "the weights", in.c, weights.c, weights.h, weights.h, "square filters");
  require_tensor(out, "the output", in.n, weights.c, side(in.h), side(in.w), "what filters reach");
  const dim3 grid(ceil_div(out.w, 32), std::min(ceil_div(out.h, 4), 65535),
                  std::min(out.n * out.c, 500));
  gather<<<grid, dim3(32, 4), 0, stream>>>(in, weights, bias, out, options);
  check_launch();
}

}  // namespace tut::ch13
