// Prints the order in which blocks start: of two launches, of a kernel with a barrier, and once
// more with the first seed set again.
#include <cuda_runtime.h>

#include <cstdio>

#include "simt/seed.hpp"

constexpr int kBlocks = 12;

__global__ void note(int* order, int* count) {
  if (threadIdx.x == 0) order[atomicAdd(count, 1)] = blockIdx.x + gridDim.x * blockIdx.y;
}

__global__ void note_after_barrier(int* order, int* count) {
  __shared__ int place;
  if (threadIdx.x == 0) place = atomicAdd(count, 1);
  __syncthreads();
  if (threadIdx.x == 40) order[place] = blockIdx.x + gridDim.x * blockIdx.y;
}

template <class Kernel>
static void print(Kernel kernel, dim3 grid) {
  int *order, *count;
  cudaMallocManaged(&order, kBlocks * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  *count = 0;
  kernel<<<grid, 64>>>(order, count);
  cudaDeviceSynchronize();
  for (int i = 0; i < *count; ++i) std::printf("%d ", order[i]);
  std::printf("\n");
  cudaFree(order);
  cudaFree(count);
}

int main() {
  print(note, kBlocks);
  print(note_after_barrier, kBlocks);
  print(note, dim3(4, 3));
  simt_set_seed(simt_seed());
  print(note, kBlocks);
}
