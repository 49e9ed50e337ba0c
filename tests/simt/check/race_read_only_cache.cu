// A kernel reads by __ldg, through a cache that nobody tells of writes, what it writes itself.
#include <cuda_runtime.h>

__global__ void halve(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(in + i) / 2;  // finds: race
}

__global__ void sum_of_blocks(float* parts, float* sum, unsigned* tickets) {
  parts[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(tickets, 1u) + 1 < gridDim.x) return;
  float all = 0;
#ifdef MENDED
  for (unsigned i = 0; i < gridDim.x; ++i) all += __ldcg(parts + i);
#else
  for (unsigned i = 0; i < gridDim.x; ++i) all += __ldg(parts + i);  // finds: race
#endif
  *sum = all;
}

int main() {
  float* memory = nullptr;
  unsigned* tickets = nullptr;
  cudaMalloc(&memory, 2048);
  cudaMalloc(&tickets, 4);
  cudaMemset(memory, 0, 2048);
  cudaMemset(tickets, 0, 4);
#ifdef MENDED
  halve<<<1, 64>>>(memory, memory + 64, 64);
  halve<<<1, 64>>>(memory + 64, memory, 64);  // another kernel's cache
#else
  halve<<<1, 64>>>(memory, memory, 64);
#endif
  sum_of_blocks<<<4, 1>>>(memory + 128, memory + 256, tickets);
  cudaDeviceSynchronize();
  cudaFree(memory);
  cudaFree(tickets);
  return 0;
}
