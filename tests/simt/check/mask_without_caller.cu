// The mask names the lower half of the warp; the upper half makes the call too.
#include <cuda_runtime.h>

__global__ void vote(int* out) {
#ifdef MENDED
  const unsigned mask = threadIdx.x < 16 ? 0x0000FFFFU : 0xFFFF0000U;
#else
  const unsigned mask = 0x0000FFFFU;
#endif
  out[threadIdx.x] = __popc(__ballot_sync(mask, threadIdx.x % 2));  // finds: invalid-sync
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  vote<<<1, 32>>>(out);
  cudaFree(out);
}
