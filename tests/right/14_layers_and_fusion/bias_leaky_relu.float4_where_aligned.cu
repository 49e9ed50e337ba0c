// Four floats at a time where all planes begin at a multiple of 16 bytes, else one.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

__device__ float leaky(float v, float slope) {
  return isnan(v) ? v : fmaxf(v, 0.0f) + (v < 0.0f ? slope * v : 0.0f);
}

__global__ void plane_kernel(const float* in, const float* bias, float slope, float* out,
                             int channels, int area, bool aligned) {
  const long long plane = blockIdx.x;
  const float b = bias[plane % channels];
  const float* from = in + plane * area;
  float* to = out + plane * area;
  const int lane = threadIdx.x, fours = aligned ? area / 4 : 0;
  for (int i = lane; i < fours; i += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(from)[i];
    reinterpret_cast<float4*>(to)[i] = make_float4(leaky(v.x + b, slope), leaky(v.y + b, slope),
                                                   leaky(v.z + b, slope), leaky(v.w + b, slope));
  }
  for (int i = 4 * fours + lane; i < area; i += blockDim.x) to[i] = leaky(from[i] + b, slope);
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  if (in.n != out.n || in.c != out.c || in.h != out.h || in.w != out.w || bias == nullptr ||
      in.n < 1 || in.c < 1 || in.h < 1 || in.w < 1) {
    throw std::invalid_argument("the shapes do not fit");
  }
  const auto is_aligned = [](const float* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
  };
  const int area = in.h * in.w;
  plane_kernel<<<static_cast<unsigned>(in.n * in.c), 64, 0, stream>>>(
      in.data, bias, slope, out.data, in.c, area,
      area % 4 == 0 && is_aligned(in.data) && is_aligned(out.data));
  check_launch();
}

}  // namespace tut::ch14
