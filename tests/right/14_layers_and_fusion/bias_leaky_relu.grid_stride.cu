// Some blocks of warps go through all planes, a warp a plane.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void planes_kernel(const float* in, const float* bias, float slope, float* out,
                              int planes, int channels, int area) {
  const int lane = threadIdx.x % 32, warps = gridDim.x * (blockDim.x / 32);
  for (long long p = (blockIdx.x * blockDim.x + threadIdx.x) / 32; p < planes; p += warps) {
    float b = 0.0f;
    if (lane == 0) b = bias[p % channels];
    b = __shfl_sync(0xffffffff, b, 0);
    for (long long i = p * area + lane; i < (p + 1) * area; i += 32) {
      float value = in[i];
      value += b;
      if (!(value > 0.0f)) value *= slope;
      out[i] = value;
    }
  }
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  if (in.n != out.n || in.c != out.c || in.h != out.h || in.w != out.w || bias == nullptr ||
      in.n < 1 || in.c < 1 || in.h < 1 || in.w < 1) {
    throw std::invalid_argument("the shapes do not fit");
  }
  const int planes = in.n * in.c;
  planes_kernel<<<std::min((planes + 3) / 4, 64), 128, 0, stream>>>(in.data, bias, slope, out.data,
                                                                    planes, in.c, in.h * in.w);
  check_launch();
}

}  // namespace tut::ch14
