#include "13_convolution/conv2d_implicit_backward_weights.hpp"

#include <algorithm>

#include "13_convolution/implicit_gemm.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"

namespace tut::ch13 {
namespace {

// Rows are filters, columns are taps, k runs over the pixels of the output.
template <int SIDE>
struct BackwardWeightsOperands {
  static constexpr bool b_along_k = true;
  const float *in, *d_out;
  float* partial;  // (slice, filter, tap)
  ConvolutionShape shape;
  int rows, cols, depth;

  __device__ float a(int filter, int k) const {
    const int area = shape.out_h() * shape.out_w();
    return d_out[(k / area * rows + filter) * area + k % area];
  }

  __device__ float b(int k, int col) const {
    const Tap tap = tap_of<SIDE>(col, shape.f);
    const Pixel out_pixel = pixel_of(k, shape.out_h(), shape.out_w());
    const Pixel at = under_tap(shape, out_pixel, tap.row, tap.col);
    if (at.image < 0) return 0.0f;
    return in[((at.image * shape.c + tap.channel) * shape.h + at.y) * shape.w + at.x];
  }

  __device__ void write(int slice, int filter, int col, float sum) const {
    partial[(std::int64_t{slice} * rows + filter) * cols + col] = sum;
  }
};

// Enough slices for about 512 blocks, none with fewer than 256 pixels.
int slice_count(int filters, int taps, int pixels) {
  const int tiles = ceil_div(filters, implicit_rows) * ceil_div(taps, implicit_cols);
  return std::clamp(512 / tiles, 1, ceil_div(pixels, 256));
}

template <int SIDE>
void launch(const float* in, const float* d_out, float* partial, const ConvolutionShape& s,
            int slices, cudaStream_t stream) {
  const BackwardWeightsOperands<SIDE> operands{in,  d_out,    partial,       s,
                                               s.k, s.taps(), s.out_pixels()};
  launch_implicit_gemm(operands, slices, stream);
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
  if (s.f == 3) {
    launch<3>(in.data, d_out.data, partial, s, slices, stream);
  } else if (s.f == 5) {
    launch<5>(in.data, d_out.data, partial, s, slices, stream);
  } else {
    launch<0>(in.data, d_out.data, partial, s, slices, stream);
  }
  sum_slices(partial, d_weights.data, static_cast<int>(d_weights.size()), slices, stream);
}

}  // namespace tut::ch13
