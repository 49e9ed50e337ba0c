// A block takes a row of pixels.
#include "13_convolution/im2col_nhwc.hpp"

#include <cstdint>
#include <string>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

__global__ void im2col_nhwc_kernel(NhwcView<const float> in, MatrixView<float> rows,
                                   ConvolutionShape s) {
  const int wide = s.out_w();
  const std::int64_t elements = std::int64_t{wide} * rows.cols;
  for (std::int64_t i = threadIdx.x; i < elements; i += THREADS) {
    const int p = static_cast<int>(blockIdx.x * wide + i / rows.cols);
    const int k = static_cast<int>(i % rows.cols);
    const Tap tap = tap_of_nhwc(k, s.f, s.c);
    const Pixel at = under_tap(s, pixel_of(p, s.out_h(), s.out_w()), tap.row, tap.col);
    rows(p, k) = at.image >= 0 ? in(at.image, at.y, at.x, tap.channel) : 0.0f;
  }
}

}  // namespace

void im2col_nhwc(NhwcView<const float> in, MatrixView<float> rows, int side, Conv2dOptions options,
                 cudaStream_t stream) {
  const ConvolutionShape s{in.n, in.c, in.h, in.w, 1, side, options.padding, options.stride};
  require_shape(s);
  require(side >= 1, {"the filters are ", side, " wide; expected at least 1"});
  require_tensor(shape_of(in), "the input", in.n, in.c, in.h, in.w, "");
  require_matrix(rows, "the rows");
  if (rows.rows != s.out_pixels() || rows.cols != s.taps()) {
    require(false, {"the rows are ", shape_part(rows), ", the input ", shape_part(shape_of(in)),
                    "; expected ", s.out_pixels(), "x", s.taps()});
  }
  im2col_nhwc_kernel<<<s.n * s.out_h(), THREADS, 0, stream>>>(in, rows, s);
  check_launch();
}

}  // namespace tut::ch13
