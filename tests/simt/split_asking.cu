// Kernels that call functions which ask which thread runs them: in one phase and not in others, and
// by ways on which no name of such a function stands where it is called.
#include <cuda_runtime.h>

#include "expect.cuh"

namespace {

constexpr int kThreads = 64;
int* out;

__device__ int own_number() { return static_cast<int>(threadIdx.x); }
__device__ int twice(int x) { return 2 * x; }
__device__ void add_own(int* to) { to[own_number()] += own_number(); }

template <class Expected>
void expect_all(const char* what, Expected expected) {
  expect_each(what, out, kThreads, expected);
}

// Phases that ask and phases that do not, in turn.
__global__ void in_turn(int* to) {
  __shared__ int stage[kThreads];
  stage[threadIdx.x] = twice(static_cast<int>(threadIdx.x));
  __syncthreads();
  to[threadIdx.x] = stage[kThreads - 1 - own_number()];
  __syncthreads();
  stage[threadIdx.x] = to[(threadIdx.x + 1) % kThreads];
  __syncthreads();
  add_own(stage);
  __syncthreads();
  to[threadIdx.x] = stage[threadIdx.x];
}

// A condition around a call in which threads meet, and its arguments.
__global__ void around(int* to) {
  int sum = static_cast<int>(threadIdx.x);
  if (own_number() < 32) sum += __shfl_xor_sync(0xFFFFFFFFu, own_number(), 1);
  __syncthreads();
  to[threadIdx.x] = 2 * sum;
}

// A variable and a lambda from another phase.
__global__ void by_other_names(int* to) {
  const int number = own_number();
  const auto plus_own = [&](int x) { return x + own_number(); };
  __syncthreads();
  to[threadIdx.x] = plus_own(100 + number);
}

// A class whose conversion changes what it is made from.
struct Taken {
  int value;
  __device__ explicit Taken(int& from) : value(from) { from += 500; }
  __device__ operator int() const { return value; }
};

template <class T>
__global__ void of_memory(int* to) {
  __shared__ int stage[kThreads];
  stage[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = static_cast<T>(stage[kThreads - 1 - threadIdx.x]);
  __syncthreads();
  to[threadIdx.x] += 10 * stage[threadIdx.x];
}

}  // namespace

int main() {
  expect("cudaMallocManaged", cudaMallocManaged(&out, kThreads * sizeof(int)), cudaSuccess);
  for (int t = 0; t < kThreads; ++t) out[t] = 0;

  in_turn<<<1, kThreads>>>(out);
  expect_all("in_turn", [](int t) { return 2 * (kThreads - 1 - (t + 1) % kThreads) + t; });

  around<<<1, kThreads>>>(out);
  expect_all("around", [](int t) { return 2 * (t + (t < 32 ? t ^ 1 : 0)); });

  by_other_names<<<1, kThreads>>>(out);
  expect_all("by_other_names", [](int t) { return 100 + 2 * t; });

  of_memory<Taken><<<1, kThreads>>>(out);
  expect_all("of_memory", [](int t) { return kThreads - 1 - t + 10 * (t + 500); });

  expect("cudaFree", cudaFree(out), cudaSuccess);
  return report();
}
