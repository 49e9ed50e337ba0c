// Every block adds to the same word without an atomic.
// says not: __threadfence() between
#include <cuda_runtime.h>

__global__ void count(int* total) {
  if (threadIdx.x == 0) {
#ifdef MENDED
    atomicAdd(total, 1);
#else
    *total += 1;  // finds: race
#endif
  }
}

int main() {
  int* total;
  cudaMalloc(&total, sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  count<<<4, 32>>>(total);
  count<<<1, 32>>>(total);  // a launch comes after the one before
  cudaDeviceSynchronize();
  cudaFree(total);
}
