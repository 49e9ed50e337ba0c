// Blocks of 16 x 16 pixels.
#include "13_convolution/conv2d_transposed.hpp"

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int SIDE = 16;  // of a block

__global__ void conv2d_transposed_kernel(TensorView<const float> in,
                                         TensorView<const float> weights, const float* bias,
                                         TensorView<float> out, Conv2dOptions options) {
  const int across = ceil_div(out.w, SIDE), tiles = across * ceil_div(out.h, SIDE);
  const int tile = blockIdx.x % tiles, plane = blockIdx.x / tiles;
  const int filter = plane % out.c, image = plane / out.c;
  const int y = tile / across * SIDE + threadIdx.y, x = tile % across * SIDE + threadIdx.x;
  if (y >= out.h || x >= out.w) return;

  float sum = 0.0f;
  for (int i = 0; i < weights.h; ++i) {
    for (int j = 0; j < weights.w; ++j) {
      int a = -1, b = -1;  // the pixel of the input that adds to (y, x) by tap (i, j); -1 if none
      // Solve a * stride + i - padding = y for a, and the same with j and x for b. Not every tap
      // has a solution: a must be a whole number, and inside of the input, as must b. (In C++
      // -1 / 2 is 0 and -1 % 2 is -1: look at the sign first.)
      const int from_y = y + options.padding - i, from_x = x + options.padding - j;
      if (from_y >= 0 && from_x >= 0 && from_y % options.stride == 0 &&
          from_x % options.stride == 0 && from_y / options.stride < in.h &&
          from_x / options.stride < in.w) {
        a = from_y / options.stride;
        b = from_x / options.stride;
      }
      // If there is such a pixel, add its products over all channels. How are the weights laid out?
      if (a >= 0 && b >= 0) {
        for (int c = 0; c < in.c; ++c) sum += in(image, c, a, b) * weights(c, filter, i, j);
      }
    }
  }
  out(image, filter, y, x) = sum + bias[filter];
}

// Throws unless `out` is what the filters make of `in`.
void require_transposed(TensorView<const float> in, TensorView<const float> weights,
                        TensorView<float> out, Conv2dOptions options) {
  require_shape({out.n, out.c, out.h, out.w, in.c, weights.h, options.padding, options.stride});
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(weights, "the weights", in.c, weights.c, weights.h, weights.h,
                 "a square filter for each of the input's channels and the output's");
  require_tensor(out, "the output", in.n, weights.c,
                 transposed_side(in.h, weights.h, options.padding, options.stride),
                 transposed_side(in.w, weights.h, options.padding, options.stride),
                 "the input's images, the weights' channels, the pixels that filters reach");
}

}  // namespace

void conv2d_transposed(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options,
                       cudaStream_t stream) {
  require_transposed(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const unsigned tiles = ceil_div(out.w, SIDE) * ceil_div(out.h, SIDE);
  const unsigned blocks = tiles * out.c * out.n;
  conv2d_transposed_kernel<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(in, weights, bias, out,
                                                                    options);
  check_launch();
}

}  // namespace tut::ch13
