// One block sets a sum in global memory to zero while all blocks add to it: no barrier reaches the
// other blocks. It takes a launch of its own, and it is the same whichever block stores.
// says: thread (0,0,0) of block (1,0,0) updates total[0], written by thread (0,0,0) of block
// says: nothing orders the two blocks
#include <cuda_runtime.h>

__global__ void clear(int* total) { *total = 0; }

__global__ void first_stores(const int* in, int* total) {
#ifndef MENDED
  if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0;
  __syncthreads();
#endif
  atomicAdd(total, in[threadIdx.x]);  // finds: race
}

__global__ void last_stores(const int* in, int* total) {
#ifndef MENDED
  if (blockIdx.x == 3 && threadIdx.x == 0) *total = 0;  // finds: race
  __syncthreads();
#endif
  atomicAdd(total, in[threadIdx.x]);
}

__global__ void stores_after_its_own(const int* in, double* total) {
  atomicAdd(total, in[threadIdx.x]);
#ifndef MENDED
  __syncthreads();
  if (blockIdx.x == 3 && threadIdx.x == 0) *total = 0;  // finds: race
#endif
}

int main() {
  int *in, *total;
  double* precise;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMalloc(&precise, sizeof(double));
  cudaMemset(in, 0, 64 * sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  cudaMemset(precise, 0, sizeof(double));
  clear<<<1, 1>>>(total);
  first_stores<<<4, 64>>>(in, total);
  last_stores<<<4, 64>>>(in, total);
  stores_after_its_own<<<4, 64>>>(in, precise);
  cudaFree(in);
  cudaFree(total);
  cudaFree(precise);
}
