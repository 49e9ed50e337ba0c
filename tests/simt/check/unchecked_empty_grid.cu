// No element, no block: a launch that CUDA refuses.
#include <cuda_runtime.h>

__global__ void fill(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

int main() {
  const int n = 0;
  const int blocks = (n + 63) / 64;
#ifdef MENDED
  if (blocks > 0) fill<<<blocks, 64>>>(nullptr, n);
#else
  fill<<<blocks, 64>>>(nullptr, n);  // finds: unchecked-error
#endif
  cudaDeviceSynchronize();
}
