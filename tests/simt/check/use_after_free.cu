// The buffer goes before its last use.
// says: writes device memory that was freed [clear]
#include <cuda_runtime.h>

__global__ void clear(int* data) { data[threadIdx.x] = 0; }  // finds: use-after-free

int main() {
  int* data;
  cudaMalloc(&data, 32 * sizeof(int));
#ifdef MENDED
  clear<<<1, 32>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
#else
  cudaFree(data);
  clear<<<1, 32>>>(data);
  cudaDeviceSynchronize();
#endif
}
