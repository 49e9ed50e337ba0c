// An exchange reads what was there, if somebody uses it; else it only writes.
#include <cuda_runtime.h>

__global__ void exchange(int* old, float* fresh) {
  __shared__ int flag, other, third;
#ifdef MENDED
  flag = 0;
  __syncthreads();
#endif
  atomicExch(&other, 1);
  if (threadIdx.x == 0) (void)atomicExch(&third, 2);
  if (threadIdx.x == 1) ::atomicExch_block(&third, 3);
  atomicExch(fresh, 1.0f);
  const int before = atomicExch(&flag, 1);  // finds: uninitialised
  __syncthreads();
  old[threadIdx.x] = before + other + third + static_cast<int>(*fresh);
}

__global__ void add() {
  __shared__ int counts[3];
#ifdef MENDED
  if (threadIdx.x < 3) counts[threadIdx.x] = 0;
  __syncthreads();
#endif
  atomicAdd(&counts[0], 1);     // finds: uninitialised
  atomicMax(&counts[1], 1);     // finds: uninitialised
  atomicCAS(&counts[2], 0, 1);  // finds: uninitialised
}

int main() {
  int* old;
  float* fresh;
  cudaMalloc(&old, 32 * sizeof(int));
  cudaMalloc(&fresh, sizeof(float));
  exchange<<<1, 32>>>(old, fresh);
  add<<<1, 32>>>();
  cudaDeviceSynchronize();
  cudaFree(old);
  cudaFree(fresh);
}
