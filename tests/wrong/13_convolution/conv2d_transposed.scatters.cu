// fails: race
// Every pixel of the input puts down its filter; where filters overlap, two threads add at once.
#include "13_convolution/conv2d_transposed.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

__global__ void bias_kernel(const float* bias, TensorView<float> out) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  if (place < out.h * out.w) {
    out(blockIdx.z, blockIdx.y, place / out.w, place % out.w) = bias[blockIdx.y];
  }
}

__global__ void scatter_kernel(TensorView<const float> in, TensorView<const float> weights,
                               TensorView<float> out, Conv2dOptions options) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  const int image = blockIdx.z;
  if (place >= in.h * in.w) return;
  const int a = place / in.w, b = place % in.w;  // of the input
  for (int i = 0; i < weights.h; ++i) {
    for (int j = 0; j < weights.w; ++j) {
      const int y = a * options.stride + i - options.padding;
      const int x = b * options.stride + j - options.padding;
      if (y < 0 || y >= out.h || x < 0 || x >= out.w) continue;
      for (int c = 0; c < in.c; ++c) {
        out(image, filter, y, x) += in(image, c, a, b) * weights(c, filter, i, j);
      }
    }
  }
}

// Throws unless `out` is what the filters make of `in`.
void require_transposed(TensorView<const float> in, TensorView<const float> weights,
                        TensorView<float> out, Conv2dOptions options) {
  require_shape({out.n, out.c, out.h, out.w, in.c, weights.h, options.padding, options.stride});
  require_tensor(in, "the input", in.n, in.c, in.h, in.w, "");
  require_tensor(weights, "the weights", in.c, weights.c, weights.h, weights.h,
                 "a square filter for each of the input's channels and the output's");
  require_tensor(out, "the output", in.n, weights.c,
                 transposed_side(in.h, weights.h, options.padding, options.stride),
                 transposed_side(in.w, weights.h, options.padding, options.stride),
                 "the input's images, the weights' channels, the pixels that filters reach");
}

}  // namespace

void conv2d_transposed(TensorView<const float> in, TensorView<const float> weights,
                       const float* bias, TensorView<float> out, Conv2dOptions options,
                       cudaStream_t stream) {
  require_transposed(in, weights, out, options);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const dim3 out_grid(ceil_div(out.h * out.w, THREADS), out.c, out.n);
  bias_kernel<<<out_grid, THREADS, 0, stream>>>(bias, out);
  check_launch();
  const dim3 in_grid(ceil_div(in.h * in.w, THREADS), out.c, out.n);
  scatter_kernel<<<in_grid, THREADS, 0, stream>>>(in, weights, out, options);
  check_launch();
}

}  // namespace tut::ch13
