#include "13_convolution/conv2d_im2col.hpp"

#include "05_shared_memory_tiling/matmul_tiled.hpp"
#include "13_convolution/im2col.hpp"
#include "13_convolution/scratch.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 256;

// (K, N, area) to (N, K, area), and the bias.
__global__ void spread_kernel(const float* product, const float* bias, float* out, int filters,
                              int area, int pixels) {
  const int p = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  if (p >= pixels) return;
  out[(p / area * filters + filter) * area + p % area] =
      product[filter * pixels + p] + bias[filter];
}

}  // namespace

std::size_t conv2d_im2col_scratch(const ConvolutionShape& s) {
  return (static_cast<std::size_t>(s.taps()) + static_cast<std::size_t>(s.k)) *
         static_cast<std::size_t>(s.out_pixels());
}

void conv2d_im2col(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                   TensorView<float> out, std::span<float> scratch, Conv2dOptions options,
                   cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  require_scratch(scratch, conv2d_im2col_scratch(s));

  //! [steps]
  const int taps = s.taps(), pixels = s.out_pixels();
  const MatrixView<float> columns{scratch.data(), taps, pixels, pixels};
  const MatrixView<float> product{columns.data + std::int64_t{taps} * pixels, s.k, pixels, pixels};
  im2col(in, columns, s.f, options, stream);
  ch05::matmul_tiled({weights.data, s.k, taps, taps}, columns, product, stream);
  //! [steps]
  const dim3 grid(ceil_div(pixels, THREADS), s.k);
  spread_kernel<<<grid, THREADS, 0, stream>>>(product.data, bias, out.data, s.k,
                                              s.out_h() * s.out_w(), pixels);
  check_launch();
}

}  // namespace tut::ch13
