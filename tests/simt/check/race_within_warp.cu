// Lanes of a warp do not run in step: what one wrote another may read only after __syncwarp().
#include <cuda_runtime.h>

__global__ void shift(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x;
#ifdef MENDED
  __syncwarp();
#endif
  out[threadIdx.x] = values[(threadIdx.x + 1) % 32];  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  shift<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
