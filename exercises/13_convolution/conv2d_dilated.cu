#include "13_convolution/conv2d_dilated.hpp"

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

__global__ void conv2d_dilated_kernel(TensorView<const float> in, TensorView<const float> weights,
                                      const float* bias, TensorView<float> out,
                                      Conv2dOptions options, int dilation) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  const int image = blockIdx.z;
  if (place >= out.h * out.w) return;
  const int y = place / out.w, x = place % out.w;  // of the output

  float sum = 0.0f;
  for (int c = 0; c < in.c; ++c) {
    for (int i = 0; i < weights.h; ++i) {
      for (int j = 0; j < weights.w; ++j) {
        // TODO: Row and column of the input's pixel that tap (i, j) looks at. If it lies inside of the
        // image, add its product with the weight of this tap to sum. All four edges matter.
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
  // TODO: How many pixels does the filter span along a side? The output's shape is asked for below.
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
  const dim3 grid(ceil_div(out.h * out.w, THREADS), out.c, out.n);
  conv2d_dilated_kernel<<<grid, THREADS, 0, stream>>>(in, weights, bias, out, options, dilation);
  check_launch();
}

}  // namespace tut::ch13
