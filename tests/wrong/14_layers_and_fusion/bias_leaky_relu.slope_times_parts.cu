// fails: values
// says: less precise
// The slope multiplies the element and the bias apart, and what is left where they cancel is
// rounding.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8;

__global__ void bias_leaky_relu_kernel(const float* in, const float* bias, float slope, float* out,
                                       int planes, int channels, int area) {
  // A row of threads takes one plane.
  const int plane = blockIdx.x * BY + threadIdx.y;
  if (plane >= planes) return;

  const float b = bias[plane % channels];
  const std::int64_t first = std::int64_t{plane} * area;
  const float scaled = slope * b;  // once a plane: one fused operation for each element is left
  for (int i = threadIdx.x; i < area; i += BX) {
    const float x = in[first + i];
    const float v = x + b;
    out[first + i] = v > 0.0f ? v : fmaf(slope, x, scaled);
  }
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  require_same_tensor(in, "the input", out, "the output");
  require(bias != nullptr, "the bias has no data (a null pointer)");

  const int planes = in.n * in.c;
  bias_leaky_relu_kernel<<<ceil_div(planes, BY), dim3(BX, BY), 0, stream>>>(
      in.data, bias, slope, out.data, planes, in.c, in.h * in.w);
  check_launch();
}

}  // namespace tut::ch14
