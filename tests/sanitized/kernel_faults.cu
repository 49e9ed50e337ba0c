// Faults that the sanitizers must find inside kernels: proof that their flags reach what cucc
// compiles, and that its lines are those of this file.
#include <cstdio>
#include <cstring>

#include "cuda_runtime.h"

// Not inlined: UndefinedBehaviorSanitizer would see the size of the array first.
__noinline__ __device__ void fill(int* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = i;
}

__global__ void as_loops(int* out, int count) {
  int values[4] = {};
  fill(values, count);
  out[threadIdx.x] = values[threadIdx.x % 4];
}

__global__ void on_fibers(int* out, int count) {
  int values[4] = {};
  if (threadIdx.x < 16) __syncwarp(0xFFFF);
  fill(values, count);
  out[threadIdx.x] = values[threadIdx.x % 4];
}

__global__ void overflows(int* out, int large) { out[threadIdx.x] = large + 1; }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int past = std::strcmp(argv[2], "past") == 0 ? 1 : 0;
  int* out = nullptr;
  if (cudaMalloc(&out, 32 * sizeof(int)) != cudaSuccess) return 2;
  if (std::strcmp(argv[1], "as_loops") == 0) as_loops<<<1, 32>>>(out, 4 + past);
  if (std::strcmp(argv[1], "on_fibers") == 0) on_fibers<<<1, 32>>>(out, 4 + past);
  if (std::strcmp(argv[1], "overflows") == 0) overflows<<<1, 32>>>(out, 0x7FFFFFFE + past);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
