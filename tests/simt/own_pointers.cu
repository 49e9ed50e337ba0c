// Arrays of threads that live across barriers and begin with a value, and stores by pointers that
// each thread has for itself, of some threads or of all.
#include <cuda_runtime.h>

#include "expect.cuh"

namespace {

constexpr int kThreads = 96, kMost = 8;

// The arrays are declared in a phase that does nothing with them, or that does something.
__global__ void begin_arrays(int* out) {
  int zeros[kMost] = {}, some[kMost] = {1, 2, 3};
  const int t = threadIdx.x;
  int used[4] = {4, 5, 6, 7};
  used[t % 4] += t;
  __syncthreads();
  int later[2] = {t, 2 * t};
  const auto add = [&](int i) { later[i] += 1000; };
  add(t % 2);
  for (int i = 0; i < kMost; ++i) zeros[i] += some[i];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < kMost; ++i) sum += 10 * zeros[i] + some[i];
  for (int i = 0; i < 4; ++i) sum += used[i];
  out[t] = sum + later[0] + later[1];
}

// Every fourth thread writes, each through its pointer, in a loop.
__global__ void store_some(int* out, int n) {
  const int t = threadIdx.x;
  int* to = out;
  to += t;
  for (int step = 0; step < 3; ++step) {
    int value = t + 100 * step;
    __syncthreads();
    if (t < n && t % 4 == step) to[0] = value;
    __syncthreads();
    if (t == n - 1 - step) {
      to[-1] = value + 7;
    }
  }
  __syncthreads();
  if (t < n && t % 4 == 3) to[0] = -t;
}

int stored(int t, int n) {
  if (t >= n) return 0;
  int result = 0;
  for (int step = 0; step < 3; ++step) {
    if (t % 4 == step) result = t + 100 * step;
    if (t + 1 == n - 1 - step) result = t + 1 + 100 * step + 7;
  }
  return t % 4 == 3 ? -t : result;
}

}  // namespace

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, kThreads * sizeof(int));
  for (int t = 0; t < kThreads; ++t) out[t] = 0;
  begin_arrays<<<1, kThreads>>>(out);
  expect_each("arrays", out, kThreads, [](int t) { return 66 + 22 + t + 3 * t + 1000; });
  for (const int n : {kThreads, 61, 8}) {
    store_some<<<1, kThreads>>>(out, n);
    expect_each("stores", out, kThreads, [n](int t) { return stored(t, n); });
  }
  cudaFree(out);
  return report();
}
