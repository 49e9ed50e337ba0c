#include "13_convolution/conv2d_implicit.hpp"

#include "13_convolution/implicit_gemm.hpp"

namespace tut::ch13 {
namespace {

//! [operands]
// Rows are filters, columns are pixels of the output, k runs over the taps of a filter.
template <int SIDE>
struct ForwardOperands {
  static constexpr bool b_along_k = false;
  const float *in, *weights, *bias;
  float* out;
  ConvolutionShape shape;
  int rows, cols, depth;

  __device__ float a(int filter, int k) const { return weights[filter * depth + k]; }

  __device__ float b(int k, int col) const {
    const Tap tap = tap_of<SIDE>(k, shape.f);
    const Pixel out_pixel = pixel_of(col, shape.out_h(), shape.out_w());
    const Pixel at = under_tap(shape, out_pixel, tap.row, tap.col);
    if (at.image < 0) return 0.0f;
    return in[((at.image * shape.c + tap.channel) * shape.h + at.y) * shape.w + at.x];
  }

  __device__ void write(int, int filter, int col, float sum) const {
    const int area = shape.out_h() * shape.out_w();
    out[(col / area * rows + filter) * area + col % area] = sum + bias[filter];
  }
};
//! [operands]

template <int SIDE>
void launch(const float* in, const float* weights, const float* bias, float* out,
            const ConvolutionShape& s, cudaStream_t stream) {
  const ForwardOperands<SIDE> operands{in, weights, bias, out, s, s.k, s.out_pixels(), s.taps()};
  launch_implicit_gemm(operands, 1, stream);
}

}  // namespace

void conv2d_implicit(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                     TensorView<float> out, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  if (s.f == 3) return launch<3>(in.data, weights.data, bias, out.data, s, stream);
  if (s.f == 5) return launch<5>(in.data, weights.data, bias, out.data, s, stream);
  launch<0>(in.data, weights.data, bias, out.data, s, stream);
}

}  // namespace tut::ch13
