#include "13_convolution/conv2d_implicit_backward_weights.hpp"

#include <algorithm>

#include "13_convolution/implicit_gemm.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"

namespace tut::ch13 {
namespace {

//! [operands]
// Rows are filters, columns are taps, k runs over the pixels of the output.
struct BackwardWeightsOperands : ImplicitProduct {
  static constexpr bool b_along_k = true;
  ConvolutionShape shape;

  __device__ int a_place(int k) const {
    const int area = shape.out_h() * shape.out_w();
    return k / area * rows * area + k % area;
  }

  __device__ BPlace b_place(int k) const {
    const Pixel at = pixel_of(k, shape.out_h(), shape.out_w());
    const int y = at.y * shape.stride - shape.padding, x = at.x * shape.stride - shape.padding;
    return place_in(at.image * shape.c, y, x);
  }

  __device__ BPlace column(int col) const {
    const Tap tap = tap_of(col, shape.f);
    return place_in(tap.channel, tap.row, tap.col);
  }

  __device__ BPlace place_in(unsigned plane, unsigned y, unsigned x) const {
    return {(plane * height + y) * width + x, y, x, 0};
  }

  // out: (slice, filter, tap)
  __device__ std::int64_t out_place(int slice, int col) const {
    return std::int64_t{slice} * rows * cols + col;
  }
};
//! [operands]

// Enough slices for about 512 blocks, none with fewer than 256 pixels.
int slice_count(int filters, int taps, int pixels) {
  return std::clamp(512 / implicit_blocks(filters, taps), 1, ceil_div(pixels, 256));
}

int slice_count(TensorView<const float> d_out, TensorView<const float> d_weights) {
  return slice_count(d_weights.n, d_weights.c * d_weights.h * d_weights.w,
                     d_out.n * d_out.h * d_out.w);
}

}  // namespace

std::size_t conv2d_implicit_backward_weights_scratch(TensorView<const float> d_out,
                                                     TensorView<const float> d_weights) {
  return static_cast<std::size_t>(slice_count(d_out, d_weights)) *
         static_cast<std::size_t>(d_weights.size());
}

void conv2d_implicit_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                      TensorView<float> d_weights, std::span<float> scratch,
                                      Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, options);
  require_scratch(scratch, conv2d_implicit_backward_weights_scratch(d_out, d_weights));
  const int slices = slice_count(d_out, d_weights);
  float* partial = scratch.data();
  const ImplicitProduct product{.a = d_out.data,
                                .b = in.data,
                                .bias = nullptr,
                                .out = partial,
                                .rows = s.k,
                                .cols = s.taps(),
                                .depth = s.out_pixels(),
                                .row_pitch = s.out_h() * s.out_w(),
                                .height = static_cast<unsigned>(s.h),
                                .width = static_cast<unsigned>(s.w),
                                .out_pitch = s.taps(),
                                .fours = lie_in_fours(partial, s.taps())};
  launch_implicit_gemm(BackwardWeightsOperands{product, s}, slices, stream);
  sum_slices(partial, d_weights.data, static_cast<int>(d_weights.size()), slices, stream);
}

}  // namespace tut::ch13
