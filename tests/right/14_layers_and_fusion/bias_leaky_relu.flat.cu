// A thread for each element of the whole tensor, wherever its plane ends.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void flat_kernel(const float* in, const float* bias, float slope, float* out,
                            long long size, int channels, int area) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float value = in[i] + bias[i / area % channels];
  out[i] = value <= 0.0f ? slope * value : value;
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  if (in.n != out.n || in.c != out.c || in.h != out.h || in.w != out.w || bias == nullptr ||
      in.n < 1 || in.c < 1 || in.h < 1 || in.w < 1) {
    throw std::invalid_argument("the shapes do not fit");
  }
  const auto blocks = static_cast<unsigned>((in.size() + 511) / 512);
  flat_kernel<<<blocks, 512, 0, stream>>>(in.data, bias, slope, out.data, in.size(), in.c,
                                          in.h * in.w);
  check_launch();
}

}  // namespace tut::ch14
