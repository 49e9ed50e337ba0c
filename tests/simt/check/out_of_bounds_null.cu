// A pointer that nobody set.
#include <cuda_runtime.h>

__global__ void fill(int* out) {
  out[threadIdx.x] = 1;  // finds: out-of-bounds
}

int main() {
  int* a = nullptr;
#ifdef MENDED
  cudaMalloc(&a, 64 * sizeof(int));
#endif
  fill<<<1, 64>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
