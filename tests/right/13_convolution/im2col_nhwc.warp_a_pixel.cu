// A warp takes a pixel, tap by tap, in a loop over the grid.
#include "13_convolution/im2col_nhwc.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void copy_pixels(NhwcView<const float> in, MatrixView<float> rows, ConvolutionShape s) {
  for (int p = blockIdx.x * blockDim.y + threadIdx.y; p < rows.rows; p += gridDim.x * blockDim.y) {
    const Pixel pixel = pixel_of(p, s.out_h(), s.out_w());
    for (int i = 0; i < s.f; ++i) {
      for (int j = 0; j < s.f; ++j) {
        const Pixel at = under_tap(s, pixel, i, j);
        float* to = &rows(p, (i * s.f + j) * s.c);
        for (int c = threadIdx.x; c < s.c; c += 32) {
          to[c] = at.image < 0 ? 0.0f : in(at.image, at.y, at.x, c);
        }
      }
    }
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
  copy_pixels<<<24, dim3(32, 4), 0, stream>>>(in, rows, s);
  check_launch();
}

}  // namespace tut::ch13
