// A block of more threads than there can be: the kernel does not run, and nobody hears of it.
#include <cuda_runtime.h>

__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
  int* a;
  cudaMalloc(&a, 2048 * sizeof(int));
#ifdef MENDED
  fill<<<2, 1024>>>(a);
#else
  fill<<<1, 2048>>>(a);  // finds: unchecked-error
#endif
  cudaDeviceSynchronize();
  cudaFree(a);
}
