// Lanes of one call name different lanes.
#include <cuda_runtime.h>

__global__ void meet(int* out) {
#ifdef MENDED
  const unsigned mask = 0xFFFFFFFFU;
#else
  const unsigned mask = threadIdx.x == 0 ? 0xFFFFFFFFU : 0xFFFFFFFEU;
#endif
  out[threadIdx.x] = threadIdx.x;
  __syncwarp(mask);  // finds: invalid-sync
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  meet<<<1, 32>>>(out);
  cudaFree(out);
}
