// A block copies the row of one pixel.
#include "13_convolution/im2col_nhwc.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void copy_row(NhwcView<const float> in, MatrixView<float> rows, ConvolutionShape s) {
  const Pixel pixel = pixel_of(blockIdx.x, s.out_h(), s.out_w());
  for (int k = threadIdx.x; k < rows.cols; k += blockDim.x) {
    const Tap tap = tap_of_nhwc(k, s.f, s.c);
    const Pixel at = under_tap(s, pixel, tap.row, tap.col);
    rows(blockIdx.x, k) = at.image < 0 ? 0.0f : in(at.image, at.y, at.x, tap.channel);
  }
}

}  // namespace

void im2col_nhwc(NhwcView<const float> in, MatrixView<float> rows, int side, Conv2dOptions options,
                 cudaStream_t stream) {
  const ConvolutionShape s{in.n, in.c, in.h, in.w, 1, side, options.padding, options.stride};
  require_shape(s);
  require(side >= 1, {"the filters are ", side, " wide; expected at least 1"});
  require(in.data != nullptr && in.h > 0 && in.w > 0 && s.out_pixels() > 0 && s.taps() > 0 &&
              rows.data != nullptr && rows.rows == s.out_pixels() && rows.cols == s.taps() &&
              rows.stride >= rows.cols,
          "the rows do not fit the images");
  copy_row<<<rows.rows, 96, 0, stream>>>(in, rows, s);
  check_launch();
}

}  // namespace tut::ch13
