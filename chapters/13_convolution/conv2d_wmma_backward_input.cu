#include "13_convolution/conv2d_wmma_backward_input.hpp"

#include "13_convolution/implicit_gemm_wmma.hpp"

namespace tut::ch13 {
namespace {

// The taps that lie over a pixel of the input, filters innermost: where their filter's output is.
struct OutputTaps {
  const ConvolutionShape& shape;
  int out_h, out_w;
  Pixel in;
  Tap tap;  // its channel is a filter

  __device__ int place() const {
    const Pixel at = over_pixel(shape, in, tap.row, tap.col);
    if (at.image < 0) return -1;
    return ((at.image * out_h + at.y) * out_w + at.x) * shape.k + tap.channel;
  }
  __device__ void advance() { tap = next_tap_nhwc(tap, shape.f, shape.k); }
};

// Rows are pixels of the input, columns are channels, k runs over the taps, filters innermost.
template <class T, class U>
struct BackwardInputOperands {
  using Element = T;
  static constexpr bool a_along_k = true, b_along_k = false;
  const T *a, *b;  // d_out; the weights
  U* d_in;
  ConvolutionShape shape;
  int out_h, out_w;
  int rows, cols, depth;
  bool a_chunks, b_chunks;

  __device__ OutputTaps a_run(int row, int k) const {
    return {shape, out_h, out_w, pixel_of(row, shape.h, shape.w), tap_of_nhwc(k, shape.f, shape.k)};
  }
  __device__ Neighbours b_run(int k, int channel) const {
    const Tap tap = tap_of_nhwc(k, shape.f, shape.k);
    return {((tap.channel * shape.f + tap.row) * shape.f + tap.col) * shape.c + channel};
  }
  __device__ void write(int, int row, int channel, float sum) const {
    d_in[row * cols + channel] = static_cast<U>(sum);
  }
};

}  // namespace

template <class T, class U>
void conv2d_wmma_backward_input(NhwcView<const T> d_out, NhwcView<const T> weights,
                                NhwcView<U> d_in, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, options);
  require_tensor_cores<T>("conv2d_wmma_backward_input");
  const BackwardInputOperands<T, U> operands{.a = d_out.data,
                                             .b = weights.data,
                                             .d_in = d_in.data,
                                             .shape = s,
                                             .out_h = s.out_h(),
                                             .out_w = s.out_w(),
                                             .rows = s.in_pixels(),
                                             .cols = s.c,
                                             .depth = s.k * s.f * s.f,
                                             .a_chunks = takes_chunks(d_out),
                                             .b_chunks = takes_chunks(weights)};
  launch_implicit_gemm_wmma(operands, 1, stream);
}

template void conv2d_wmma_backward_input(NhwcView<const __half>, NhwcView<const __half>,
                                         NhwcView<float>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma_backward_input(NhwcView<const __half>, NhwcView<const __half>,
                                         NhwcView<__half>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma_backward_input(NhwcView<const __nv_bfloat16>,
                                         NhwcView<const __nv_bfloat16>, NhwcView<float>,
                                         Conv2dOptions, cudaStream_t);
template void conv2d_wmma_backward_input(NhwcView<const __nv_bfloat16>,
                                         NhwcView<const __nv_bfloat16>, NhwcView<__nv_bfloat16>,
                                         Conv2dOptions, cudaStream_t);
template void conv2d_wmma_backward_input(NhwcView<const Tf32>, NhwcView<const Tf32>,
                                         NhwcView<float>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma_backward_input(NhwcView<const Tf32>, NhwcView<const Tf32>, NhwcView<Tf32>,
                                         Conv2dOptions, cudaStream_t);

}  // namespace tut::ch13
