// fails: values
// says: out
// The taps that lie on the image are counted by a division that rounds a negative number up.
#include "13_convolution/conv2d_dilated.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

// The taps from `begin` to before `end` lie inside of the image, along one of its sides.
struct Taps {
  int begin, end;
};

// For a filter of `count` taps whose first lies over pixel `start`.
__device__ Taps taps_inside(int start, int side, int count, int dilation) {
  const int begin = start < 0 ? (-start - 1) / dilation + 1 : 0;
  const int end = (side - 1 - start) / dilation + 1;  // the last is at side - 1 or before
  return {begin, min(count, end)};
}

__global__ void conv2d_dilated_kernel(TensorView<const float> in, TensorView<const float> weights,
                                      const float* bias, TensorView<float> out,
                                      Conv2dOptions options, int dilation) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  const int image = blockIdx.z;
  if (place >= out.h * out.w) return;
  const int y = place / out.w, x = place % out.w;  // of the output
  const int y0 = y * options.stride - options.padding;
  const int x0 = x * options.stride - options.padding;
  const Taps rows = taps_inside(y0, in.h, weights.h, dilation);
  const Taps cols = taps_inside(x0, in.w, weights.w, dilation);

  float sum = 0.0f;
  for (int c = 0; c < in.c; ++c) {
    for (int i = rows.begin; i < rows.end; ++i) {
      for (int j = cols.begin; j < cols.end; ++j) {
        sum += in(image, c, y0 + i * dilation, x0 + j * dilation) * weights(filter, c, i, j);
      }
    }
  }
  out(image, filter, y, x) = sum + bias[filter];
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
  const dim3 grid(ceil_div(out.h * out.w, THREADS), out.c, out.n);
  conv2d_dilated_kernel<<<grid, THREADS, 0, stream>>>(in, weights, bias, out, options, dilation);
  check_launch();
}

}  // namespace tut::ch13
