// fails: values
// says: the last element of out was never written
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// Warps are counted by a thread number of 32 bits, which 2^27 planes use up.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int WARP = 32, THREADS = 256;

__global__ void bias_leaky_relu_kernel(const float* in, const float* bias, float slope, float* out,
                                       int planes, int channels, int area) {
  // A warp takes one plane.
  const int plane = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  if (plane >= planes) return;

  const float b = bias[plane % channels];
  const std::int64_t first = std::int64_t{plane} * area;
  for (int i = threadIdx.x % WARP; i < area; i += WARP) {
    const float v = in[first + i] + b;
    out[first + i] = v > 0.0f ? v : slope * v;
  }
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  require_same_tensor(in, "the input", out, "the output");
  require(bias != nullptr, "the bias has no data (a null pointer)");

  const int planes = in.n * in.c;
  bias_leaky_relu_kernel<<<ceil_div(planes, THREADS / WARP), THREADS, 0, stream>>>(
      in.data, bias, slope, out.data, planes, in.c, in.h * in.w);
  check_launch();
}

}  // namespace tut::ch14
