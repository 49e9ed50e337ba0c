#include "13_convolution/conv2d_implicit_backward_input.hpp"

#include "13_convolution/implicit_gemm.hpp"

namespace tut::ch13 {
namespace {

// Rows are channels, columns are pixels of the input, k runs over filters and taps.
template <int SIDE>
struct BackwardInputOperands {
  static constexpr bool b_along_k = false;
  const float *d_out, *weights;
  float* d_in;
  ConvolutionShape shape;
  int rows, cols, depth;

  __device__ float a(int channel, int k) const {
    const int area = SIDE > 0 ? SIDE * SIDE : shape.f * shape.f;
    return weights[(k / area * rows + channel) * area + k % area];
  }

  __device__ float b(int k, int col) const {
    const Tap tap = tap_of<SIDE>(k, shape.f);  // its channel is a filter
    const Pixel in_pixel = pixel_of(col, shape.h, shape.w);
    const Pixel at = over_pixel(shape, in_pixel, tap.row, tap.col);
    if (at.image < 0) return 0.0f;
    const int height = shape.out_h(), width = shape.out_w();
    return d_out[((at.image * shape.k + tap.channel) * height + at.y) * width + at.x];
  }

  __device__ void write(int, int channel, int col, float sum) const {
    const int area = shape.h * shape.w;
    d_in[(col / area * rows + channel) * area + col % area] = sum;
  }
};

template <int SIDE>
void launch(const float* d_out, const float* weights, float* d_in, const ConvolutionShape& s,
            cudaStream_t stream) {
  const BackwardInputOperands<SIDE> operands{d_out, weights,       d_in,           s,
                                             s.c,   s.in_pixels(), s.k * s.f * s.f};
  launch_implicit_gemm(operands, 1, stream);
}

}  // namespace

void conv2d_implicit_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                    TensorView<float> d_in, Conv2dOptions options,
                                    cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, options);
  if (s.f == 3) return launch<3>(d_out.data, weights.data, d_in.data, s, stream);
  if (s.f == 5) return launch<5>(d_out.data, weights.data, d_in.data, s, stream);
  launch<0>(d_out.data, weights.data, d_in.data, s, stream);
}

}  // namespace tut::ch13
