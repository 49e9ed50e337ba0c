#include "14_layers_and_fusion/sgd_momentum.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

__global__ void sgd_momentum_kernel(float* parameters, float* velocity, const float* gradient,
                                    float learning_rate, float momentum, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float v = momentum * velocity[i] + gradient[i];
  velocity[i] = v;
  parameters[i] -= learning_rate * v;
}

}  // namespace

void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                  std::span<const float> gradient, float learning_rate, float momentum,
                  cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(parameters.size(), "the parameters", velocity.size(), "the velocity");
  require_same_size(parameters.size(), "the parameters", gradient.size(), "the gradient");
  require(!parameters.empty(), "the parameters have 0 elements; expected at least 1");
  const auto blocks = static_cast<unsigned>(ceil_div(parameters.size(), THREADS));
  sgd_momentum_kernel<<<blocks, THREADS, 0, stream>>>(parameters.data(), velocity.data(),
                                                      gradient.data(), learning_rate, momentum,
                                                      parameters.size());
  check_launch();
}

}  // namespace tut::ch14
