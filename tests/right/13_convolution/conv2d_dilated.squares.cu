// Blocks of 16 x 16 pixels.
#include "13_convolution/conv2d_dilated.hpp"

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int SIDE = 16;  // of a block

__global__ void conv2d_dilated_kernel(TensorView<const float> in, TensorView<const float> weights,
                                      const float* bias, TensorView<float> out,
                                      Conv2dOptions options, int dilation) {
  const int across = ceil_div(out.w, SIDE), tiles = across * ceil_div(out.h, SIDE);
  const int tile = blockIdx.x % tiles, plane = blockIdx.x / tiles;
  const int filter = plane % out.c, image = plane / out.c;
  const int y = tile / across * SIDE + threadIdx.y, x = tile % across * SIDE + threadIdx.x;
  if (y >= out.h || x >= out.w) return;

  float sum = 0.0f;
  for (int c = 0; c < in.c; ++c) {
    for (int i = 0; i < weights.h; ++i) {
      for (int j = 0; j < weights.w; ++j) {
        // Row and column of the input's pixel that tap (i, j) looks at. If it lies inside of the
        // image, add its product with the weight of this tap to sum. All four edges matter.
        const int in_y = y * options.stride + i * dilation - options.padding;
        const int in_x = x * options.stride + j * dilation - options.padding;
        const bool inside = in_y >= 0 && in_y < in.h && in_x >= 0 && in_x < in.w;
        if (inside) sum += in(image, c, in_y, in_x) * weights(filter, c, i, j);
      }
    }
  }
  out(image, filter, y, x) = sum + bias[filter];
}

// Throws unless `out` is what a filter that spans dilated_side pixels leaves of `in`.
void require_dilated(TensorView<const float> in, TensorView<const float> weights,
                     TensorView<float> out, Conv2dOptions options, int dilation) {
  require(dilation >= 1, {"the dilation is ", dilation, "; expected at least 1"});
  require_tensor(weights, "the weights", weights.n, in.c, weights.h, weights.h,
                 "square filters with the input's channels");
  int span = weights.h;
  // How many pixels does the filter span along a side? The output's shape is asked for below.
  span = dilated_side(weights.h, dilation);
  const ConvolutionShape shape{in.n,          in.c, in.h, in.w, weights.n, span, options.padding,
                               options.stride};
  require_positions(in, shape, out);
}

}  // namespace

void conv2d_dilated(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                    TensorView<float> out, Conv2dOptions options, int dilation,
                    cudaStream_t stream) {
  require_dilated(in, weights, out, options, dilation);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const unsigned tiles = ceil_div(out.w, SIDE) * ceil_div(out.h, SIDE);
  const unsigned blocks = tiles * out.c * out.n;
  conv2d_dilated_kernel<<<blocks, dim3(SIDE, SIDE), 0, stream>>>(in, weights, bias, out, options,
                                                                 dilation);
  check_launch();
}

}  // namespace tut::ch13
