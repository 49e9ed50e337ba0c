// A thread an element of the whole output, numbered in one go.
#include "13_convolution/conv2d_dilated.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void convolve(TensorView<const float> in, TensorView<const float> weights,
                         const float* bias, TensorView<float> out, Conv2dOptions options,
                         int dilation) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= out.size()) return;
  const int x = static_cast<int>(index % out.w), y = static_cast<int>(index / out.w % out.h);
  const int plane = static_cast<int>(index / out.w / out.h);
  const int filter = plane % out.c, image = plane / out.c;
  float sum = bias[filter];
  for (int i = 0; i < weights.h; ++i) {
    const int from_y = y * options.stride + i * dilation - options.padding;
    if (from_y < 0 || from_y >= in.h) continue;
    for (int j = 0; j < weights.h; ++j) {
      const int from_x = x * options.stride + j * dilation - options.padding;
      if (from_x < 0 || from_x >= in.w) continue;
      for (int c = 0; c < in.c; ++c) sum += in(image, c, from_y, from_x) * weights(filter, c, i, j);
    }
  }
  out.data[index] = sum;
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
  convolve<<<static_cast<unsigned>(ceil_div(out.size(), 192)), 192, 0, stream>>>(
      in, weights, bias, out, options, dilation);
  check_launch();
}

}  // namespace tut::ch13
