// More dynamic shared memory than a kernel has without asking for it.
#include <cuda_runtime.h>

__global__ void fill(int* out) {
  extern __shared__ int values[];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[threadIdx.x];
}

int main() {
  int* a;
  cudaMalloc(&a, 64 * sizeof(int));
#ifdef MENDED
  cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
#endif
  fill<<<1, 64, 64 * 1024>>>(a);  // finds: unchecked-error
  cudaDeviceSynchronize();
  cudaFree(a);
}
