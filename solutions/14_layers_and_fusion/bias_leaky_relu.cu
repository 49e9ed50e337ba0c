#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8;

__global__ void bias_leaky_relu_kernel(const float* in, const float* bias, float slope, float* out,
                                       int planes, int channels, int area) {
  // A row of threads takes one plane.
  const int plane = blockIdx.x * BY + threadIdx.y;
  if (plane >= planes) return;

  //! [hole-channel]
  // Planes are numbered image after image, and in each image channel after channel. Fetch the
  // bias of this plane's channel once, and find where the plane begins (in 64 bits).
  const float b = bias[plane % channels];
  const std::int64_t first = std::int64_t{plane} * area;
  //! [hole-channel]

  //! [hole-loop]
  // The row's 32 threads share the plane's elements: neighbouring threads, neighbouring
  // elements. Read each once, write it once, both operations done. A NaN is neither above 0
  // nor below it, and slope * NaN is NaN.
  for (int i = threadIdx.x; i < area; i += BX) {
    const float value = in[first + i] + b;
    out[first + i] = value > 0.0f ? value : slope * value;
  }
  //! [hole-loop]
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
