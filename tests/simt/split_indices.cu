// Indices that look as if they counted up from thread to thread. (No function here asks which
// thread runs it: threads are run in strips.)
#include <cuda_runtime.h>

#include "expect.cuh"

namespace {

constexpr int kThreads = 64;

// Indices that wrap round between two threads of a row.
__global__ void wraps_to_negative(int* out, unsigned base) {
  const int i = base + threadIdx.x;
  out[threadIdx.x] = i < 0 ? -1 : i / 0x1000000;
}

__global__ void wraps_before_widening(int* out, unsigned base, long one) {
  const unsigned low = base + threadIdx.x;
  const long i = low + one;
  const long j = threadIdx.x - 1 + one;
  if (threadIdx.x > 0) out[j] = i < 100 ? static_cast<int>(i) : -1;
}

__global__ void wraps_in_a_loop(int* out, unsigned base) {
  for (int i = threadIdx.x + base; i > 5; i += 7u) out[threadIdx.x] += i / 0x1000000;
}

// A twin that does not wrap round.
__global__ void counts_up(int* out, unsigned base, long four) {
  const int i = base + threadIdx.x;
  const long j = i + four;
  out[j - 4 - base] = static_cast<int>(j);
}

// A division that a guard before it protects, and a guard behind it.
__global__ void guards_apart_in_a_phase(int* out, int) {
  const int t = threadIdx.x;
  if (t == 3) return;
  const int r = 60 / (t - 3);
  if (r > 50) return;
  for (int i = 0; i < 3; ++i) out[t] += i + r;
}

__global__ void guards_apart(int* out, int n) {
  const int t = threadIdx.x;
  if (t == 3) return;
  const int r = 60 / (t - 3);
  if (r > 50) return;
  for (int i = 0; i < n; ++i) out[t] += i + r;
}

// A product that is in range for the threads that pass the guard before it, and for them alone.
__global__ void overflows_behind_a_guard(int* out, int n) {
  __shared__ int next[kThreads];
  const int t = threadIdx.x;
  next[t] = t + 1;
  __syncthreads();
  if (t >= n) return;
  if (t * 500000000 > 1100000000) return;
  for (int i = 0; i < 3; ++i) out[t] += next[t] + i;
}

int* out;

template <class Expected>
void expect_all(const char* what, Expected expected) {
  expect_each(what, out, kThreads, expected);
}

}  // namespace

int main() {
  expect("cudaMallocManaged", cudaMallocManaged(&out, kThreads * sizeof(int)), cudaSuccess);
  for (int t = 0; t < kThreads; ++t) out[t] = 0;

  wraps_to_negative<<<1, kThreads>>>(out, 0x7fffffffu - 20);
  expect_all("wraps_to_negative", [](int t) { return t > 20 ? -1 : 127; });

  wraps_before_widening<<<1, kThreads>>>(out, 0xffffffffu - 20, 1);
  expect_all("wraps_before_widening", [](int t) { return t == 0 ? 0 : t > 20 ? t - 20 : -1; });

  wraps_in_a_loop<<<1, kThreads>>>(out, 0x7fffffffu - 20);
  expect_all("wraps_in_a_loop", [](int t) { return t > 20 ? 0 : 127 * ((20 - t) / 7 + 1); });

  counts_up<<<1, kThreads>>>(out, 1000, 4);
  expect_all("counts_up", [](int t) { return 1004 + t; });

  for (auto* kernel : {guards_apart, guards_apart_in_a_phase}) {
    kernel<<<1, kThreads>>>(out, 3);
    expect_all("guards apart", [](int t) {
      const int r = t == 3 ? 0 : 60 / (t - 3);
      return t == 3 || r > 50 ? 0 : 3 + 3 * r;
    });
  }

  for (int t = 0; t < kThreads; ++t) out[t] = 0;
  overflows_behind_a_guard<<<1, kThreads>>>(out, 4);
  expect_all("overflows_behind_a_guard", [](int t) { return t < 3 ? 6 + 3 * t : 0; });

  expect("cudaFree", cudaFree(out), cudaSuccess);
  return report();
}
