// One warp waits for another by a flag in shared memory that is neither atomic nor volatile.
#include <cuda_runtime.h>

#ifdef MENDED
using Flag = volatile int;
#else
using Flag = int;
#endif

__global__ void hand_over(int* out) {
  __shared__ Flag ready;
  __shared__ int value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    value = 7;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 0) {
#ifdef MENDED
    while (ready == 0) __nanosleep(20);
    out[0] = value;
#else
    out[0] = ready;  // finds: race
#endif
  }
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  hand_over<<<1, 64>>>(out);
  cudaFree(out);
}
