// The loops go over the pixels of the input that reach an element.
#include "13_convolution/conv2d_transposed.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__device__ int first_pixel(int place, int filter, int stride) {
  const int least = place - (filter - 1);
  return least <= 0 ? 0 : (least + stride - 1) / stride;
}

__global__ void gather(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options) {
  const int area = out.h * out.w, pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int filter = blockIdx.y, image = blockIdx.z;
  if (pixel >= area) return;
  const int y = pixel / out.w + options.padding, x = pixel % out.w + options.padding;
  float sum = bias[filter];
  for (int a = first_pixel(y, weights.h, options.stride); a < in.h && a * options.stride <= y;
       ++a) {
    for (int b = first_pixel(x, weights.h, options.stride); b < in.w && b * options.stride <= x;
         ++b) {
      const int i = y - a * options.stride, j = x - b * options.stride;
      for (int c = 0; c < in.c; ++c) sum += in(image, c, a, b) * weights(c, filter, i, j);
    }
  }
  out.data[(static_cast<std::int64_t>(image) * out.c + filter) * area + pixel] = sum;
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
  gather<<<dim3(ceil_div(out.h * out.w, 64), out.c, out.n), 64, 0, stream>>>(in, weights, bias, out,
                                                                             options);
  check_launch();
}

}  // namespace tut::ch13
