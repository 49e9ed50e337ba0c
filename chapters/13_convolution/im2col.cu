#include "13_convolution/im2col.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 256;

//! [kernel]
__global__ void im2col_kernel(const float* in, MatrixView<float> columns, ConvolutionShape s) {
  const int p = blockIdx.x * THREADS + threadIdx.x;
  const int k = blockIdx.y;
  if (p >= columns.cols) return;
  const Tap tap = tap_of(k, s.f);
  const Pixel at = under_tap(s, pixel_of(p, s.out_h(), s.out_w()), tap.row, tap.col);
  const bool inside = at.image >= 0;
  columns(k, p) = inside ? in[((at.image * s.c + tap.channel) * s.h + at.y) * s.w + at.x] : 0.0f;
}
//! [kernel]

}  // namespace

void im2col(TensorView<const float> in, MatrixView<float> columns, int side, Conv2dOptions options,
            cudaStream_t stream) {
  const ConvolutionShape s{in.n, in.c, in.h, in.w, 1, side, options.padding, options.stride};
  require_shape(s);
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_matrix(columns, "the columns");
  if (columns.rows != s.taps() || columns.cols != s.out_pixels()) {
    require(false, {"the columns are ", shape_part(columns), ", the input ", shape_part(in),
                    "; expected ", s.taps(), "x", s.out_pixels()});
  }
  const dim3 grid(ceil_div(columns.cols, THREADS), columns.rows);
  im2col_kernel<<<grid, THREADS, 0, stream>>>(in.data, columns, s);
  check_launch();
}

}  // namespace tut::ch13
