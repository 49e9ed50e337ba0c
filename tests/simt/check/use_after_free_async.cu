// Stream-ordered memory, freed one launch too early.
#include <cuda_runtime.h>

__global__ void fill(int* out) {
  out[threadIdx.x] = 1;  // finds: use-after-free
}

int main() {
  int* a;
  cudaMallocAsync(&a, 64 * sizeof(int), nullptr);
#ifdef MENDED
  fill<<<1, 64>>>(a);
  cudaFreeAsync(a, nullptr);
#else
  cudaFreeAsync(a, nullptr);
  fill<<<1, 64>>>(a);
#endif
  cudaDeviceSynchronize();
}
