// Two warps wait for a third, which arrives and expects fewer threads than they do.
// says: it expects 64 threads at barrier 1, and those that have come expect 96
#include <cuda_runtime.h>

__global__ void hand_over(int* out) {
  __shared__ int factor;
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = factor;
  } else {
    if (threadIdx.x == 64) factor = 3;
    __syncwarp();
#ifdef MENDED
    asm volatile("bar.arrive 1, 96;" ::: "memory");
#else
    asm volatile("bar.arrive 1, 64;" ::: "memory");  // finds: invalid-sync
#endif
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  hand_over<<<1, 96>>>(out);
  cudaFree(out);
}
