// A block stages the weights of its filter, 1024 at a time: 27 floats, say, which begin anywhere in
// a sector.
#include "13_convolution/conv2d_dilated.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch13 {
namespace {

constexpr int STAGED = 1024;

__global__ void dilated_kernel(TensorView<const float> in, TensorView<const float> weights,
                               const float* bias, TensorView<float> out, Conv2dOptions options,
                               int dilation) {
  __shared__ float taps[STAGED];  // of (C, F, F)
  const int filter = blockIdx.y, image = blockIdx.z, side = weights.h;
  const int count = in.c * side * side;
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int y0 = pixel / out.w * options.stride - options.padding;
  const int x0 = pixel % out.w * options.stride - options.padding;
  float sum = bias[filter];
  for (int first = 0; first < count; first += STAGED) {
    const int last = min(first + STAGED, count);
    for (int t = first + threadIdx.x; t < last; t += blockDim.x) {
      taps[t - first] = weights.data[static_cast<std::int64_t>(filter) * count + t];
    }
    __syncthreads();
    for (int t = first; t < last && pixel < out.h * out.w; ++t) {
      const int y = y0 + t / side % side * dilation, x = x0 + t % side * dilation;
      const bool inside = y >= 0 && y < in.h && x >= 0 && x < in.w;
      if (inside) sum += in(image, t / (side * side), y, x) * taps[t - first];
    }
    __syncthreads();
  }
  if (pixel < out.h * out.w) out(image, filter, pixel / out.w, pixel % out.w) = sum;
}

}  // namespace

void conv2d_dilated(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                    TensorView<float> out, Conv2dOptions options, int dilation,
                    cudaStream_t stream) {
  const int span = dilated_side(weights.h, dilation);
  require(bias != nullptr && dilation >= 1, "there is no bias, or the dilation is below 1");
  require_tensor(weights, "the weights", weights.n, in.c, weights.h, weights.h, "square filters");
  require_positions(in, {in.n, in.c, in.h, in.w, weights.n, span, options.padding, options.stride},
                    out);
  const dim3 grid((out.h * out.w + 255) / 256, weights.n, in.n);
  dilated_kernel<<<grid, 256, 0, stream>>>(in, weights, bias, out, options, dilation);
  check_launch();
}

}  // namespace tut::ch13
