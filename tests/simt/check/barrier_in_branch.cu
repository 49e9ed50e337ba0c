// Half of the block waits at a barrier that the other half never reaches.
#include <cuda_runtime.h>

__global__ void scale(int* values) {
  __shared__ int factor;
  if (threadIdx.x == 0) factor = 3;
#ifdef MENDED
  __syncthreads();
  if (threadIdx.x < 32) values[threadIdx.x] *= factor;
#else
  if (threadIdx.x < 32) {
    __syncthreads();  // finds: divergent-barrier
    values[threadIdx.x] *= factor;
  }
#endif
}

int main() {
  int* values;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMemset(values, 0, 64 * sizeof(int));
  scale<<<1, 64>>>(values);
  cudaFree(values);
}
