#include "13_convolution/conv2d_implicit_backward_input.hpp"

#include "13_convolution/implicit_gemm.hpp"

namespace tut::ch13 {
namespace {

// Rows are channels, columns are pixels of the input, k runs over filters and taps. A tap lies over
// a pixel only where the distance between them is a whole number of strides: where their rests are
// equal, which are the phases.
struct BackwardInputOperands : ImplicitProduct {
  static constexpr bool b_along_k = false;
  ConvolutionShape shape;

  __device__ int a_place(int k) const {
    const int area = shape.f * shape.f;
    return k / area * rows * area + k % area;
  }

  __device__ BPlace b_place(int k) const {
    const Tap tap = tap_of(k, shape.f);  // its channel is a filter
    const int y = tap.row / shape.stride, x = tap.col / shape.stride;
    return place_in(tap.channel, -y, -x, tap.row % shape.stride * shape.f + tap.col % shape.stride);
  }

  __device__ BPlace column(int col) const {
    const Pixel at = pixel_of(col, shape.h, shape.w);
    const int y = at.y + shape.padding, x = at.x + shape.padding;
    const int rest_y = y % shape.stride, rest_x = x % shape.stride;
    const bool has_taps = rest_y < shape.f && rest_x < shape.f;
    return place_in(at.image * shape.k, y / shape.stride, x / shape.stride,
                    has_taps ? rest_y * shape.f + rest_x : -1);
  }

  __device__ BPlace place_in(unsigned plane, unsigned y, unsigned x, unsigned phase) const {
    return {(plane * height + y) * width + x, y, x, phase};
  }

  __device__ std::int64_t out_place(int, int col) const {
    const int area = shape.h * shape.w;
    return std::int64_t{col / area} * rows * area + col % area;
  }
};

}  // namespace

void conv2d_implicit_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                    TensorView<float> d_in, Conv2dOptions options,
                                    cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, options);
  const int area = s.h * s.w;
  const ImplicitProduct product{.a = weights.data,
                                .b = d_out.data,
                                .bias = nullptr,
                                .out = d_in.data,
                                .rows = s.c,
                                .cols = s.in_pixels(),
                                .depth = s.k * s.f * s.f,
                                .row_pitch = s.f * s.f,
                                .height = static_cast<unsigned>(s.out_h()),
                                .width = static_cast<unsigned>(s.out_w()),
                                .out_pitch = area,
                                .fours = lie_in_fours(d_in.data, area)};
  launch_implicit_gemm(BackwardInputOperands{product, s}, 1, stream);
}

}  // namespace tut::ch13
