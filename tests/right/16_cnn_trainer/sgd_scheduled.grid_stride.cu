// Some blocks go through the vectors; each thread works out the rate.
#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

__device__ float rate_of(std::uint32_t t, const WarmupCosine& s) {
  if (t >= s.steps) return 0.0f;
  if (t < s.warmup) return s.peak * (float(t + 1) / float(s.warmup + 1));
  const float done = float(t - s.warmup) / float(s.steps - s.warmup);
  return s.peak * 0.5f * (1.0f + cosf(3.14159265f * done));
}

__global__ void sgd_kernel(float* p, float* v, const float* g, WarmupCosine schedule,
                           float momentum, const std::uint32_t* step, std::size_t size) {
  const float rate = rate_of(*step, schedule);
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const float velocity = fmaf(momentum, v[i], g[i]);
    p[i] = fmaf(-rate, velocity, p[i]);
    v[i] = velocity;
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min((size + THREADS - 1) / THREADS, std::size_t{200}));
}

__global__ void count_kernel(std::uint32_t* step) { *step += 1; }

}  // namespace

void sgd_scheduled(std::span<float> parameters, std::span<float> velocity,
                   std::span<const float> gradient, const WarmupCosine& schedule, float momentum,
                   std::uint32_t* step, cudaStream_t stream) {
  const std::size_t size = parameters.size();
  if (size == 0 || velocity.size() != size || gradient.size() != size || step == nullptr ||
      !(schedule.peak > 0.0f) || schedule.warmup >= schedule.steps) {
    throw std::invalid_argument("the arguments do not fit");
  }
  sgd_kernel<<<blocks_for(size), THREADS, 0, stream>>>(
      parameters.data(), velocity.data(), gradient.data(), schedule, momentum, step, size);
  check_launch();
  count_kernel<<<1, 1, 0, stream>>>(step);
  check_launch();
}

}  // namespace tut::ch16
