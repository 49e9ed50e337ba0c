// The last block has more threads than there are elements.
#include <cuda_runtime.h>

__global__ void fill(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MENDED
  if (i >= n) return;
#endif
  out[i] = n;  // finds: out-of-bounds
}

int main() {
  float* out;
  cudaMalloc(&out, 100 * sizeof(float));
  fill<<<4, 32>>>(out, 100);
  cudaDeviceSynchronize();
  cudaFree(out);
}
