// Asynchronous copies to shared memory: pipeline primitives and memcpy_async. Checks itself.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

namespace {

int failures = 0;

void expect(bool condition, const char* what, int index) {
  if (condition) return;
  std::printf("%d: %s\n", index, what);
  ++failures;
}

constexpr int kThreads = 64;
constexpr int kStages = 3;
constexpr int kSteps = 7;

// Sums a row of tiles through a ring of stages, each loaded two steps ahead.
__global__ void sum_tiles(const float4* in, float* out) {
  __shared__ float4 stages[kStages][kThreads];
  const int t = threadIdx.x;
  const auto load = [&](int step) {
    if (step < kSteps) {
      __pipeline_memcpy_async(&stages[step % kStages][t], &in[step * kThreads + t], sizeof(float4));
    }
    __pipeline_commit();
  };
  for (int step = 0; step < kStages - 1; ++step) load(step);
  float sum = 0.0f;
  for (int step = 0; step < kSteps; ++step) {
    load(step + kStages - 1);
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();
    const float4 v = stages[step % kStages][kThreads - 1 - t];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[t] = sum;
}

// The end of a row: what lies beyond it becomes 0 and is not read.
__global__ void zero_filled(const float* in, int n, float* out) {
  __shared__ float4 tile[kThreads];
  const int t = threadIdx.x;
  const int left = n - 4 * t;
  const int missing = left >= 4 ? 0 : left > 0 ? 4 - left : 4;
  __pipeline_memcpy_async(&tile[t], missing < 4 ? in + 4 * t : in, sizeof(float4),
                          missing * sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[t].x + tile[t].y + tile[t].z + tile[t].w;
}

__global__ void by_group(const int* in, int* out) {
  __shared__ alignas(16) int whole[kThreads + 3];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, whole, in, sizeof(int) * (kThreads + 3));
  cg::wait(block);
  out[block.thread_rank()] = whole[block.thread_rank() + 3];
}

template <class T>
T* managed(int n) {
  T* p = nullptr;
  if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) std::abort();
  return p;
}

}  // namespace

int main() {
  float4* tiles = managed<float4>(kSteps * kThreads);
  float* out = managed<float>(kThreads);
  for (int i = 0; i < kSteps * kThreads; ++i) {
    const float v = static_cast<float>(i % 97);
    tiles[i] = make_float4(v, 1.0f, -v, v);
  }
  sum_tiles<<<1, kThreads>>>(tiles, out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int t = 0; t < kThreads; ++t) {
    float sum = 0.0f;
    for (int step = 0; step < kSteps; ++step) {
      sum += 1.0f + static_cast<float>((step * kThreads + kThreads - 1 - t) % 97);
    }
    expect(out[t] == sum, "sum through stages", t);
  }

  float* row = managed<float>(4 * kThreads);
  constexpr int kCount = 4 * 50 + 3;
  for (int i = 0; i < 4 * kThreads; ++i) row[i] = i < kCount ? 1.0f : 1000.0f;
  zero_filled<<<1, kThreads>>>(row, kCount, out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int t = 0; t < kThreads; ++t) {
    expect(out[t] == (t < 50 ? 4.0f : t == 50 ? 3.0f : 0.0f), "zero fill", t);
  }

  int* numbers = managed<int>(2 * kThreads + 4);
  int* picked = numbers + kThreads + 4;
  for (int i = 0; i < kThreads + 3; ++i) numbers[i] = 3 * i;
  by_group<<<1, kThreads>>>(numbers, picked);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int t = 0; t < kThreads; ++t) expect(picked[t] == 3 * (t + 3), "memcpy_async", t);
  cudaFree(tiles);
  cudaFree(out);
  cudaFree(row);
  cudaFree(numbers);
  return failures == 0 ? 0 : 1;
}
