// fails: values
// says: are offsets computed in 64 bits?
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// A block for 1024 elements of a plane; where a plane begins is computed in 32 bits if there are
// few.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int PIECE = 1024, FEW = 65535;

__global__ void pieces_kernel(const float* in, const float* bias, float slope, float* out,
                              int channels, int area) {
  const int plane = blockIdx.y;
  const unsigned first = static_cast<unsigned>(plane) * area;
  const float b = bias[plane % channels];
  for (int k = threadIdx.x; k < PIECE; k += blockDim.x) {
    const int i = blockIdx.x * PIECE + k;
    if (i >= area) return;
    const float value = in[first + i] + b;
    out[first + i] = value > 0.0f ? value : slope * value;
  }
}

__global__ void planes_kernel(const float* in, const float* bias, float slope, float* out,
                              int planes, int channels, int area) {
  const int plane = blockIdx.x * blockDim.y + threadIdx.y;
  if (plane >= planes) return;
  const float b = bias[plane % channels];
  const std::int64_t first = std::int64_t{plane} * area;
  for (int i = threadIdx.x; i < area; i += 32) {
    const float value = in[first + i] + b;
    out[first + i] = value > 0.0f ? value : slope * value;
  }
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  require_same_tensor(in, "the input", out, "the output");
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const int planes = in.n * in.c, area = in.h * in.w;
  if (planes <= FEW) {
    pieces_kernel<<<dim3(ceil_div(area, PIECE), planes), 256, 0, stream>>>(in.data, bias, slope,
                                                                           out.data, in.c, area);
  } else {
    planes_kernel<<<ceil_div(planes, 8), dim3(32, 8), 0, stream>>>(in.data, bias, slope, out.data,
                                                                   planes, in.c, area);
  }
  check_launch();
}

}  // namespace tut::ch14
