#include "13_convolution/conv2d_implicit.hpp"

#include "13_convolution/implicit_gemm.hpp"

namespace tut::ch13 {
namespace {

//! [operands]
// Rows are filters, columns are pixels of the output, k runs over the taps of a filter.
struct ForwardOperands : ImplicitProduct {
  static constexpr bool b_along_k = false;
  ConvolutionShape shape;

  __device__ int a_place(int k) const { return k; }

  __device__ BPlace b_place(int k) const {
    const Tap tap = tap_of(k, shape.f);
    return place_in(tap.channel, tap.row, tap.col);
  }

  __device__ BPlace column(int col) const {
    const Pixel at = pixel_of(col, shape.out_h(), shape.out_w());
    const int y = at.y * shape.stride - shape.padding, x = at.x * shape.stride - shape.padding;
    return place_in(at.image * shape.c, y, x);
  }

  __device__ BPlace place_in(unsigned plane, unsigned y, unsigned x) const {
    return {(plane * height + y) * width + x, y, x, 0};
  }

  __device__ std::int64_t out_place(int, int col) const {
    const int area = shape.out_h() * shape.out_w();
    return std::int64_t{col / area} * rows * area + col % area;
  }
};
//! [operands]

}  // namespace

void conv2d_implicit(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                     TensorView<float> out, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const int area = s.out_h() * s.out_w();
  const ImplicitProduct product{.a = weights.data,
                                .b = in.data,
                                .bias = bias,
                                .out = out.data,
                                .rows = s.k,
                                .cols = s.out_pixels(),
                                .depth = s.taps(),
                                .row_pitch = s.taps(),
                                .height = static_cast<unsigned>(s.h),
                                .width = static_cast<unsigned>(s.w),
                                .out_pitch = area,
                                .fours = lie_in_fours(out.data, area)};
  launch_implicit_gemm(ForwardOperands{product, s}, 1, stream);
}

}  // namespace tut::ch13
