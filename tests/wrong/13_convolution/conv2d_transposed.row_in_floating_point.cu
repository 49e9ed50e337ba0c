// fails: values
// says: counted in whole numbers
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// The row comes from a product in FP32, which cannot count the pixels of a large image.
#include "13_convolution/conv2d_transposed.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

__global__ void conv2d_transposed_kernel(TensorView<const float> in,
                                         TensorView<const float> weights, const float* bias,
                                         TensorView<float> out, Conv2dOptions options,
                                         float row_rate) {
  const int place = blockIdx.x * THREADS + threadIdx.x;
  const int filter = blockIdx.y;
  const int image = blockIdx.z;
  if (place >= out.h * out.w) return;
  // No integer division: half a pixel keeps the quotient off the whole numbers.
  const int y = static_cast<int>((static_cast<float>(place) + 0.5f) * row_rate);
  const int x = place - y * out.w;  // of the output

  float sum = 0.0f;
  for (int i = 0; i < weights.h; ++i) {
    for (int j = 0; j < weights.w; ++j) {
      const int down = y + options.padding - i, right = x + options.padding - j;
      if (down < 0 || right < 0 || down % options.stride != 0 || right % options.stride != 0)
        continue;
      const int a = down / options.stride, b = right / options.stride;
      if (a >= in.h || b >= in.w) continue;
      for (int c = 0; c < in.c; ++c) sum += in(image, c, a, b) * weights(c, filter, i, j);
    }
  }
  out(image, filter, y, x) = sum + bias[filter];
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
  const dim3 grid(ceil_div(out.h * out.w, THREADS), out.c, out.n);
  const float row_rate = 1.0f / static_cast<float>(out.w);
  conv2d_transposed_kernel<<<grid, THREADS, 0, stream>>>(in, weights, bias, out, options, row_rate);
  check_launch();
}

}  // namespace tut::ch13
