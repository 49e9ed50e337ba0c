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

  // TODO: Planes are numbered image after image, and in each image channel after channel. Fetch the
  // bias of this plane's channel once, and find where the plane begins (in 64 bits).

  // TODO: The row's 32 threads share the plane's elements: neighbouring threads, neighbouring
  // elements. Read each once, write it once, both operations done. A NaN is neither above 0
  // nor below it, and slope * NaN is NaN.
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
