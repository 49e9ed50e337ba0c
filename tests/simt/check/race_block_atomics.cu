// Blocks share a counter through atomics that work within one block only.
#include <cuda_runtime.h>

__global__ void count(int* counter) {
#ifdef MENDED
  atomicAdd(counter, 1);
#else
  atomicAdd_block(counter, 1);  // finds: race
#endif
}

int main() {
  int* counter;
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  count<<<2, 64>>>(counter);
  cudaFree(counter);
}
