// __CUDA_ARCH__ is defined in device code and not in host code.
#include "arch_macro.cuh"

#include <cstdio>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

__host__ __device__ int where() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}

__host__ __device__ constexpr int constant_where() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
#ifndef __CUDA_ARCH__
static_assert(constant_where() == 2, "constant expressions of host code are the host's");
#endif

template <typename T>
__host__ __device__ T generic_where(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  return value + T(1);
#else
  return value + T(2);
#endif
}

// Only the device has this one.
#ifdef __CUDA_ARCH__
__device__ int only_on_device(int x) { return x * 2; }
#endif

// nvcc's host pass sees this one and never runs it.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 600
__device__ double my_atomic_add(double*, double) { return -1; }
#else
__device__ double my_atomic_add(double* p, double v) { return atomicAdd(p, v); }
#endif

#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif

class Reporter {
 public:
  __host__ __device__ Reporter() {
#ifdef __CUDA_ARCH__
    where_ = 10;
#else
    where_ = 20;
#endif
  }
  __host__ __device__ int get() const { return where_ + ON_DEVICE; }
  __device__ int device_member() const {
#ifdef __CUDA_ARCH__
    return 30;
#else
    return 40;
#endif
  }

 private:
  int where_;
};

namespace inner {
__host__ __device__ inline int arch() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return -1;
#endif
}
}  // namespace inner

__global__ void kernel(int* out) {
#ifdef __CUDA_ARCH__
  out[0] = where();
  out[1] = constant_where();
  out[2] = generic_where(10);
  out[3] = only_on_device(4);
  __shared__ double sum;  // atomics need memory that threads share
  sum = 1;
  out[4] = static_cast<int>(my_atomic_add(&sum, 2.0) + sum);
  Reporter reporter;
  out[5] = reporter.get() + reporter.device_member();
  out[6] = inner::arch();
  out[7] = __CUDA_ARCH__ / 100;
  out[8] = from_header(5);
#else
  out[0] = -1;
#endif
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 256);
  kernel<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  expect("where", p[0], 1);
  expect("generic", p[2], 11);
  expect("only on the device", p[3], 8);
  expect("atomic", p[4], 1 + 3);
  expect("class", p[5], 11 + 30);
  expect("arch", p[6] >= 500, 1);
  expect("arch in the kernel", p[7] >= 5, 1);
  expect("header", p[8], 50);
  expect("where on the host", where(), 2);
  expect("generic on the host", generic_where(10), 12);
  expect("class on the host", Reporter().get(), 20);
  expect("arch on the host", inner::arch(), -1);
  expect("header on the host", from_header(5), 5);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}
