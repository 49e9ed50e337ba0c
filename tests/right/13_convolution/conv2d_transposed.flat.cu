// A thread an element of the whole output, numbered in one go.
#include "13_convolution/conv2d_transposed.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void gather(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= out.size()) return;
  const int x = static_cast<int>(index % out.w), y = static_cast<int>(index / out.w % out.h);
  const int plane = static_cast<int>(index / out.w / out.h);
  const int filter = plane % out.c, image = plane / out.c;
  float sum = bias[filter];
  for (int c = 0; c < in.c; ++c) {
    for (int i = 0; i < weights.h; ++i) {
      for (int j = 0; j < weights.h; ++j) {
        const int up = y + options.padding - i, left = x + options.padding - j;
        if (up < 0 || left < 0 || up % options.stride != 0 || left % options.stride != 0) continue;
        const int a = up / options.stride, b = left / options.stride;
        if (a < in.h && b < in.w) sum += in(image, c, a, b) * weights(c, filter, i, j);
      }
    }
  }
  out.data[index] = sum;
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
  gather<<<static_cast<unsigned>(ceil_div(out.size(), 256)), 256, 0, stream>>>(in, weights, bias,
                                                                               out, options);
  check_launch();
}

}  // namespace tut::ch13
