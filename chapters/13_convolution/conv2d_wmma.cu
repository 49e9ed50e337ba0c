#include "13_convolution/conv2d_wmma.hpp"

#include "13_convolution/implicit_gemm_wmma.hpp"

namespace tut::ch13 {
namespace {

//! [operands]
// Rows are pixels of the output, columns are filters, k runs over the taps, channels innermost.
template <class T, class U>
struct ForwardOperands {
  using Element = T;
  static constexpr bool a_along_k = true, b_along_k = true;
  const T *a, *b;  // the input; the weights
  const float* bias;
  U* out;
  ConvolutionShape shape;
  int out_h, out_w;
  int rows, cols, depth;
  bool a_chunks, b_chunks;

  __device__ InputTaps a_run(int row, int k) const {
    return input_taps(shape, pixel_of(row, out_h, out_w), tap_of_nhwc(k, shape.f, shape.c));
  }
  __device__ Neighbours b_run(int k, int filter) const { return {filter * depth + k}; }
  __device__ void write(int, int row, int filter, float sum) const {
    out[row * cols + filter] = static_cast<U>(sum + bias[filter]);
  }
};
//! [operands]

}  // namespace

template <class T, class U>
void conv2d_wmma(NhwcView<const T> in, NhwcView<const T> weights, const float* bias,
                 NhwcView<U> out, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  require_tensor_cores<T>("conv2d_wmma");
  const ForwardOperands<T, U> operands{.a = in.data,
                                       .b = weights.data,
                                       .bias = bias,
                                       .out = out.data,
                                       .shape = s,
                                       .out_h = s.out_h(),
                                       .out_w = s.out_w(),
                                       .rows = s.out_pixels(),
                                       .cols = s.k,
                                       .depth = s.taps(),
                                       .a_chunks = takes_chunks(in),
                                       .b_chunks = takes_chunks(weights)};
  launch_implicit_gemm_wmma(operands, 1, stream);
}

template void conv2d_wmma(NhwcView<const __half>, NhwcView<const __half>, const float*,
                          NhwcView<float>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma(NhwcView<const __half>, NhwcView<const __half>, const float*,
                          NhwcView<__half>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma(NhwcView<const __nv_bfloat16>, NhwcView<const __nv_bfloat16>,
                          const float*, NhwcView<float>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma(NhwcView<const __nv_bfloat16>, NhwcView<const __nv_bfloat16>,
                          const float*, NhwcView<__nv_bfloat16>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma(NhwcView<const Tf32>, NhwcView<const Tf32>, const float*, NhwcView<float>,
                          Conv2dOptions, cudaStream_t);
template void conv2d_wmma(NhwcView<const Tf32>, NhwcView<const Tf32>, const float*, NhwcView<Tf32>,
                          Conv2dOptions, cudaStream_t);

}  // namespace tut::ch13
