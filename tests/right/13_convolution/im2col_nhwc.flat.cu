// A thread an element, numbered in one go.
#include "13_convolution/im2col_nhwc.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

__global__ void copy_elements(NhwcView<const float> in, MatrixView<float> rows,
                              ConvolutionShape s) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= std::int64_t{rows.rows} * rows.cols) return;
  const int p = static_cast<int>(index / rows.cols), k = static_cast<int>(index % rows.cols);
  const int channel = k % s.c, tap = k / s.c;
  const int x = p % s.out_w() * s.stride + tap % s.f - s.padding;
  const int y = p / s.out_w() % s.out_h() * s.stride + tap / s.f - s.padding;
  const bool inside = x >= 0 && x < s.w && y >= 0 && y < s.h;
  rows(p, k) = inside ? in(p / (s.out_w() * s.out_h()), y, x, channel) : 0.0f;
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
  const std::int64_t elements = std::int64_t{rows.rows} * rows.cols;
  copy_elements<<<static_cast<unsigned>(ceil_div(elements, 256)), 256, 0, stream>>>(in, rows, s);
  check_launch();
}

}  // namespace tut::ch13
