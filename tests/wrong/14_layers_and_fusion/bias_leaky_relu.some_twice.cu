// fails: values
// says: in place
// The last round of a plane begins so that it ends with it: what two rounds have is bent twice.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8;

__device__ float leaky(float v, float slope) { return v > 0.0f ? v : slope * v; }

__global__ void bias_leaky_relu_kernel(const float* in, const float* bias, float slope, float* out,
                                       int planes, int channels, int area) {
  // A row of threads takes one plane.
  const int plane = blockIdx.x * BY + threadIdx.y;
  if (plane >= planes) return;
  const int tx = threadIdx.x;
  const float b = bias[plane % channels];
  const std::int64_t first = std::int64_t{plane} * area;

  if (area < BX) {
    if (tx < area) out[first + tx] = leaky(in[first + tx] + b, slope);
    return;
  }
  // All 32 threads have an element in every round: the last round is moved back to end with the
  // plane.
  for (std::int64_t begin = 0; begin < area; begin += BX) {
    const std::int64_t i = first + (begin <= area - BX ? begin : area - BX) + tx;
    out[i] = leaky(in[i] + b, slope);
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
