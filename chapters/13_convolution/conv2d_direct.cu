#include "13_convolution/conv2d_direct.hpp"

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

//! [kernel]
__global__ void conv2d_direct_kernel(const float* in, const float* weights, const float* bias,
                                     float* out, ConvolutionShape s) {
  const int area = s.out_h() * s.out_w();
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  const int image = blockIdx.z;
  if (place >= area) return;
  const int y0 = place / s.out_w() * s.stride - s.padding;
  const int x0 = place % s.out_w() * s.stride - s.padding;

  float sum = 0.0f;
  for (int c = 0; c < s.c; ++c) {
    const float* plane = in + (image * s.c + c) * s.h * s.w;
    const float* taps = weights + (filter * s.c + c) * s.f * s.f;
    for (int i = 0; i < s.f; ++i) {
      for (int j = 0; j < s.f; ++j) {
        const int y = y0 + i, x = x0 + j;
        const bool inside = y >= 0 && y < s.h && x >= 0 && x < s.w;
        if (inside) sum += plane[y * s.w + x] * taps[i * s.f + j];
      }
    }
  }
  out[(image * s.k + filter) * area + place] = sum + bias[filter];
}
//! [kernel]

}  // namespace

void conv2d_direct(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                   TensorView<float> out, Conv2dOptions options, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");

  const dim3 grid(ceil_div(s.out_h() * s.out_w(), THREADS), s.k, s.n);
  conv2d_direct_kernel<<<grid, THREADS, 0, stream>>>(in.data, weights.data, bias, out.data, s);
  check_launch();
}

}  // namespace tut::ch13
