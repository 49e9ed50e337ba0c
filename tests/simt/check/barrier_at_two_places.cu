// Even and odd threads wait at barriers of their own.
#include <cuda_runtime.h>

__global__ void swap_pairs(int* values) {
  __shared__ int shared[64];
  const unsigned i = threadIdx.x;
#ifdef MENDED
  shared[i] = i % 2 == 0 ? values[i] + 1 : values[i] - 1;
  __syncthreads();
#else
  if (i % 2 == 0) {
    shared[i] = values[i] + 1;
    __syncthreads();  // finds: divergent-barrier
  } else {
    shared[i] = values[i] - 1;
    __syncthreads();
  }
#endif
  values[i] = shared[i ^ 1];
}

int main() {
  int* values;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMemset(values, 0, 64 * sizeof(int));
  swap_pairs<<<1, 64>>>(values);
  cudaFree(values);
}
