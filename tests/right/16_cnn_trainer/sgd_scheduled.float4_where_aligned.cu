// Four neighbours a thread, in one load where all three vectors are aligned.
#include "16_cnn_trainer/sgd_scheduled.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 64;

__device__ float rate_of(std::uint32_t t, const WarmupCosine& s) {
  if (t < s.warmup) return s.peak * static_cast<float>(t + 1) / static_cast<float>(s.warmup + 1);
  if (t >= s.steps) return 0.0f;
  const float half =
      0.5f * static_cast<float>(t - s.warmup) / static_cast<float>(s.steps - s.warmup);
  return s.peak * cospif(half) * cospif(half);  // (1 + cos(2 x)) / 2
}

__device__ bool is_aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
}

__global__ void sgd_kernel(float* p, float* v, const float* g, WarmupCosine schedule,
                           float momentum, const std::uint32_t* step, std::size_t size) {
  __shared__ float shared_rate;
  if (threadIdx.x == 0) shared_rate = rate_of(*step, schedule);
  __syncthreads();
  const float rate = shared_rate;
  const std::size_t q = std::size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (is_aligned(p) && is_aligned(v) && is_aligned(g) && 4 * q + 4 <= size) {
    float4 x = reinterpret_cast<float4*>(p)[q], y = reinterpret_cast<float4*>(v)[q];
    const float4 z = reinterpret_cast<const float4*>(g)[q];
    y = make_float4(momentum * y.x + z.x, momentum * y.y + z.y, momentum * y.z + z.z,
                    momentum * y.w + z.w);
    x = make_float4(x.x - rate * y.x, x.y - rate * y.y, x.z - rate * y.z, x.w - rate * y.w);
    reinterpret_cast<float4*>(v)[q] = y;
    reinterpret_cast<float4*>(p)[q] = x;
    return;
  }
  for (std::size_t i = 4 * q; i < 4 * q + 4 && i < size; ++i) {
    v[i] = momentum * v[i] + g[i];
    p[i] -= rate * v[i];
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>((size + 4 * THREADS - 1) / (4 * THREADS));
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
