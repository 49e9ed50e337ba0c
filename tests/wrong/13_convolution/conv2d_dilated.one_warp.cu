// fails: budget
// says: threads use memory
// Loops over images and filters in place of a grid that has them along y and z: one warp computes
// the whole output.
#include "13_convolution/conv2d_dilated.hpp"

#include <string>

#include "tut/errors/check.hpp"

namespace tut::ch13 {
namespace {

constexpr int WARP = 32;

/// One element of the output, without the bias.
__device__ float sum_of(TensorView<const float> in, TensorView<const float> weights,
                        Conv2dOptions options, int dilation, int image, int filter, int y, int x) {
  float sum = 0.0f;
  for (int c = 0; c < in.c; ++c) {
    for (int i = 0; i < weights.h; ++i) {
      for (int j = 0; j < weights.w; ++j) {
        const int in_y = y * options.stride + i * dilation - options.padding;
        const int in_x = x * options.stride + j * dilation - options.padding;
        const bool inside = in_y >= 0 && in_y < in.h && in_x >= 0 && in_x < in.w;
        if (inside) sum += in(image, c, in_y, in_x) * weights(filter, c, i, j);
      }
    }
  }
  return sum;
}

__global__ void conv2d_dilated_kernel(TensorView<const float> in, TensorView<const float> weights,
                                      const float* bias, TensorView<float> out,
                                      Conv2dOptions options, int dilation) {
  for (int image = 0; image < out.n; ++image) {
    for (int filter = 0; filter < out.c; ++filter) {
      for (int place = threadIdx.x; place < out.h * out.w; place += WARP) {
        const int y = place / out.w, x = place % out.w;  // of the output
        const float sum = sum_of(in, weights, options, dilation, image, filter, y, x);
        out(image, filter, y, x) = sum + bias[filter];
      }
    }
  }
}

// Throws unless `out` is what a filter that spans dilated_side pixels leaves of `in`.
void require_dilated(TensorView<const float> in, TensorView<const float> weights,
                     TensorView<float> out, Conv2dOptions options, int dilation) {
  require(dilation >= 1, {"the dilation is ", dilation, "; expected at least 1"});
  const int span = dilated_side(weights.h, dilation);
  const ConvolutionShape shape{in.n,          in.c, in.h, in.w, weights.n, span, options.padding,
                               options.stride};
  require_tensor(weights, "the weights", weights.n, in.c, weights.h, weights.h,
                 "square filters with the input's channels");
  require_positions(in, shape, out);
}

}  // namespace

void conv2d_dilated(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                    TensorView<float> out, Conv2dOptions options, int dilation,
                    cudaStream_t stream) {
  require_dilated(in, weights, out, options, dilation);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  conv2d_dilated_kernel<<<1, WARP, 0, stream>>>(in, weights, bias, out, options, dilation);
  check_launch();
}

}  // namespace tut::ch13
