// A lock guards a sum; without a fence the next owner may not see what the last one wrote.
#include <cuda_runtime.h>

__device__ int lock;
__device__ int sum;

__global__ void add() {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  sum += blockIdx.x + 1;  // finds: race
#ifdef MENDED
  __threadfence();
#endif
  atomicExch(&lock, 0);
}

int main() { add<<<8, 32>>>(); }
