// The number of rounds differs from thread to thread, and with it the number of barriers.
#include <cuda_runtime.h>

__global__ void rounds(int* values) {
  __shared__ int shared[64];
#ifdef MENDED
  const unsigned count = 2;
#else
  const unsigned count = threadIdx.x < 48 ? 2 : 1;
#endif
  for (unsigned round = 0; round < count; ++round) {
    shared[threadIdx.x] = values[threadIdx.x] + round;
    __syncthreads();  // finds: divergent-barrier
  }
  values[threadIdx.x] = shared[threadIdx.x];
}

int main() {
  int* values;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMemset(values, 0, 64 * sizeof(int));
  rounds<<<1, 64>>>(values);
  cudaFree(values);
}
