// The host reads managed memory before the kernel that writes it is known to be over.
#include <cuda_runtime.h>

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int* a;
  cudaMallocManaged(&a, 64 * sizeof(int));
  fill<<<1, 64>>>(a);
#ifdef MENDED
  cudaDeviceSynchronize();
#endif
  const int last = a[63];  // finds: race
  cudaFree(a);
  return last == 63 ? 0 : 1;
}
