// fails: values
// Without momentum it leaves the velocity out, which may be infinite.
#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <cstddef>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

__device__ float rate_of(std::uint32_t t, const WarmupCosine& schedule) {
  if (t < schedule.warmup) {
    return schedule.peak * static_cast<float>(t + 1) / static_cast<float>(schedule.warmup + 1);
  }
  if (t >= schedule.steps) return 0.0f;
  const float done = static_cast<float>(t - schedule.warmup) /
                     static_cast<float>(schedule.steps - schedule.warmup);
  return schedule.peak / 2.0f * (1.0f + cospif(done));
}

__global__ void sgd_kernel(float* parameters, float* velocity, const float* gradient,
                           WarmupCosine schedule, float momentum, const std::uint32_t* step,
                           std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  __shared__ float rate;
  if (threadIdx.x == 0) rate = rate_of(*step, schedule);
  __syncthreads();
  if (i >= size) return;

  // Plain gradient descent keeps nothing of the last step.
  const float v = momentum > 0.0f ? momentum * velocity[i] + gradient[i] : gradient[i];
  velocity[i] = v;
  parameters[i] -= rate * v;
}

__global__ void count_kernel(std::uint32_t* step) { *step += 1; }

}  // namespace

void sgd_scheduled(std::span<float> parameters, std::span<float> velocity,
                   std::span<const float> gradient, const WarmupCosine& schedule, float momentum,
                   std::uint32_t* step, cudaStream_t stream) {
  require_same_size(parameters.size(), "the parameters", velocity.size(), "the velocity");
  require_same_size(parameters.size(), "the parameters", gradient.size(), "the gradient");
  ch14::require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  require(step != nullptr, "the counter of steps has no memory (a null pointer)");
  require(schedule.peak > 0.0f && schedule.warmup < schedule.steps,
          {"the schedule has a peak of ", schedule.peak, " and a warm-up of ", schedule.warmup,
           " of ", schedule.steps, " steps; expected a peak above 0 and a shorter warm-up"});
  const std::size_t size = parameters.size();
  sgd_kernel<<<ch14::element_blocks(size), ch14::ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), velocity.data(), gradient.data(), schedule, momentum, step, size);
  check_launch();
  count_kernel<<<1, 1, 0, stream>>>(step);
  check_launch();
}

}  // namespace tut::ch16
