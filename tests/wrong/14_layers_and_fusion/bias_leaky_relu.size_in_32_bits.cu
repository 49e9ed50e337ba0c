// fails: values
// says: and only
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// The number of elements is an unsigned: with more than 2^32 the grid is short of them.
#include "14_layers_and_fusion/bias_leaky_relu.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void flat_kernel(const float* in, const float* bias, float slope, float* out,
                            unsigned size, int channels, int area) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float value = in[i] + bias[i / area % channels];
  out[i] = value > 0.0f ? value : slope * value;
}

}  // namespace

void bias_leaky_relu(TensorView<const float> in, const float* bias, float slope,
                     TensorView<float> out, cudaStream_t stream) {
  if (in.n != out.n || in.c != out.c || in.h != out.h || in.w != out.w || bias == nullptr ||
      in.n < 1 || in.c < 1 || in.h < 1 || in.w < 1) {
    throw std::invalid_argument("the shapes do not fit");
  }
  const auto size = static_cast<unsigned>(in.size());
  flat_kernel<<<(size + 255) / 256, 256, 0, stream>>>(in.data, bias, slope, out.data, size, in.c,
                                                      in.h * in.w);
  check_launch();
}

}  // namespace tut::ch14
