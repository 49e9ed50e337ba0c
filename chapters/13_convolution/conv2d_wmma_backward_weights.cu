#include "13_convolution/conv2d_wmma_backward_weights.hpp"

#include <algorithm>
#include <cstdint>

#include "13_convolution/implicit_gemm_wmma.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"

namespace tut::ch13 {
namespace {

constexpr int BIAS_PIXELS = 256;  // of a slice of the bias's gradient
constexpr int LANES = 32;

// Rows are filters, columns are taps, channels innermost, k runs over the pixels of the output.
template <class T>
struct BackwardWeightsOperands {
  using Element = T;
  static constexpr bool a_along_k = false, b_along_k = false;
  const T *a, *b;  // d_out; the input
  float* partial;  // (slice, filter, tap)
  ConvolutionShape shape;
  int out_h, out_w;
  int rows, cols, depth;
  bool a_chunks, b_chunks;

  __device__ Neighbours a_run(int filter, int k) const { return {k * rows + filter}; }
  __device__ InputTaps b_run(int k, int col) const {
    return input_taps(shape, pixel_of(k, out_h, out_w), tap_of_nhwc(col, shape.f, shape.c));
  }
  __device__ void write(int slice, int filter, int col, float sum) const {
    partial[(std::int64_t{slice} * rows + filter) * cols + col] = sum;
  }
};

// A thread sums one filter's gradients of BIAS_PIXELS pixels. partial: (slice, filter)
template <class T>
__global__ void bias_slices_kernel(const T* d_out, float* partial, int filters, int pixels) {
  const int filter = blockIdx.y * LANES + threadIdx.x;
  if (filter >= filters) return;
  const int first = blockIdx.x * BIAS_PIXELS;
  const int last = min(first + BIAS_PIXELS, pixels);
  float sum = 0.0f;
  for (int p = first; p < last; ++p) sum += static_cast<float>(d_out[p * filters + filter]);
  partial[blockIdx.x * filters + filter] = sum;
}

// Enough slices for about 512 blocks, none with fewer than 256 pixels.
int slice_count(NhwcView<const float> d_weights, int pixels) {
  const int taps = d_weights.h * d_weights.w * d_weights.c;
  const int tiles = WmmaTiles::count(d_weights.n, taps);
  return std::clamp(512 / tiles, 1, ceil_div(pixels, 256));
}

}  // namespace

std::size_t conv2d_wmma_backward_weights_scratch(NhwcView<const float> d_weights, int out_pixels) {
  const std::int64_t weights = d_weights.size() * slice_count(d_weights, out_pixels);
  const std::int64_t bias = std::int64_t{d_weights.n} * ceil_div(out_pixels, BIAS_PIXELS);
  return static_cast<std::size_t>(std::max(weights, bias));
}

template <class T>
void conv2d_wmma_backward_weights(NhwcView<const T> in, NhwcView<const T> d_out,
                                  NhwcView<float> d_weights, float* d_bias,
                                  std::span<float> scratch, Conv2dOptions options,
                                  cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, options);
  require(d_bias != nullptr, "the bias's gradient has no data (a null pointer)");
  require_scratch(scratch, conv2d_wmma_backward_weights_scratch(d_weights, s.out_pixels()));
  require_tensor_cores<T>("conv2d_wmma_backward_weights");

  const int bias_slices = ceil_div(s.out_pixels(), BIAS_PIXELS);
  const dim3 grid(bias_slices, ceil_div(s.k, LANES));
  bias_slices_kernel<<<grid, LANES, 0, stream>>>(d_out.data, scratch.data(), s.k, s.out_pixels());
  check_launch();
  sum_slices(scratch.data(), d_bias, s.k, bias_slices, stream);

  const int slices = slice_count(d_weights, s.out_pixels());
  const BackwardWeightsOperands<T> operands{.a = d_out.data,
                                            .b = in.data,
                                            .partial = scratch.data(),
                                            .shape = s,
                                            .out_h = s.out_h(),
                                            .out_w = s.out_w(),
                                            .rows = s.k,
                                            .cols = s.taps(),
                                            .depth = s.out_pixels(),
                                            .a_chunks = takes_chunks(d_out),
                                            .b_chunks = takes_chunks(in)};
  launch_implicit_gemm_wmma(operands, slices, stream);
  sum_slices(scratch.data(), d_weights.data, static_cast<int>(d_weights.size()), slices, stream);
}

template void conv2d_wmma_backward_weights(NhwcView<const __half>, NhwcView<const __half>,
                                           NhwcView<float>, float*, std::span<float>, Conv2dOptions,
                                           cudaStream_t);
template void conv2d_wmma_backward_weights(NhwcView<const __nv_bfloat16>,
                                           NhwcView<const __nv_bfloat16>, NhwcView<float>, float*,
                                           std::span<float>, Conv2dOptions, cudaStream_t);
template void conv2d_wmma_backward_weights(NhwcView<const Tf32>, NhwcView<const Tf32>,
                                           NhwcView<float>, float*, std::span<float>, Conv2dOptions,
                                           cudaStream_t);

}  // namespace tut::ch13
