// Eight elements a thread, a block's width apart.
#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <cstddef>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256, EACH = 8;

__device__ float rate_of(std::uint32_t t, const WarmupCosine& schedule) {
  float rate = 0.0f;
  if (t < schedule.warmup) {
    rate = schedule.peak * static_cast<float>(t + 1) / static_cast<float>(schedule.warmup + 1);
  } else if (t < schedule.steps) {
    const float done = static_cast<float>(t - schedule.warmup) /
                       static_cast<float>(schedule.steps - schedule.warmup);
    rate = 0.5f * schedule.peak * (1.0f + cospif(done));
  }
  return rate;
}

__global__ void sgd_kernel(float* parameters, float* velocity, const float* gradient,
                           WarmupCosine schedule, float momentum, const std::uint32_t* step,
                           std::size_t size) {
  const std::size_t first = std::size_t{blockIdx.x} * THREADS * EACH + threadIdx.x;
  __shared__ float rate;
  if (threadIdx.x == 0) rate = rate_of(*step, schedule);
  __syncthreads();
  for (std::size_t i = first, k = 0; k < EACH && i < size; i += THREADS, ++k) {
    const float v = momentum * velocity[i] + gradient[i];
    velocity[i] = v;
    parameters[i] -= rate * v;
  }
}

__global__ void count_kernel(std::uint32_t* step) { ++*step; }

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
  const auto blocks =
      static_cast<unsigned>(ceil_div(parameters.size(), std::size_t{THREADS * EACH}));
  sgd_kernel<<<blocks, THREADS, 0, stream>>>(parameters.data(), velocity.data(), gradient.data(),
                                             schedule, momentum, step, parameters.size());
  check_launch();
  count_kernel<<<1, 1, 0, stream>>>(step);
  check_launch();
}

}  // namespace tut::ch16
