// A lane of each warp works out the rate in double, and hands it to the others.
#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 128, EACH = 2;

__device__ float rate_of(std::uint32_t t, const WarmupCosine& s) {
  if (t < s.warmup) return static_cast<float>(s.peak * (t + 1.0) / (s.warmup + 1.0));
  if (t >= s.steps) return 0.0f;
  const double done = static_cast<double>(t - s.warmup) / (s.steps - s.warmup);
  return static_cast<float>(0.5 * s.peak * (1.0 + cospi(done)));
}

__global__ void sgd_kernel(float* p, float* v, const float* g, WarmupCosine schedule,
                           float momentum, const std::uint32_t* step, std::size_t size) {
  float rate = 0.0f;
  if (threadIdx.x % 32 == 0) rate = rate_of(*step, schedule);
  rate = __shfl_sync(0xffffffff, rate, 0);
  for (int k = 0; k < EACH; ++k) {
    const std::size_t i = (std::size_t{blockIdx.x} * EACH + k) * THREADS + threadIdx.x;
    if (i >= size) return;
    v[i] = momentum * v[i] + g[i];
    p[i] -= rate * v[i];
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>((size + EACH * THREADS - 1) / (EACH * THREADS));
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
