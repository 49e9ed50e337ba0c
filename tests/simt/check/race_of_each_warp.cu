// Every warp keeps to its own part of the array: a barrier of the warp will do. With blocks of one
// warp that cannot be told, and a barrier of the block comes first.
// says: race_of_each_warp.cu:17: note: put __syncwarp() or __syncthreads() between the two
// says: race_of_each_warp.cu:36: note: put __syncwarp() or __syncthreads() between the two
// says: race_of_each_warp.cu:42: note: put __syncthreads() between the two
// says: 26: note: put __syncthreads() between the two, or __syncwarp() as long as a block is one
#include <cuda_runtime.h>

__global__ void shift(int* out) {
  __shared__ int values[64];
  const unsigned lane = threadIdx.x % 32;
  const unsigned first = threadIdx.x - lane;
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncwarp();
#endif
  out[threadIdx.x] = values[(lane + 1) % 32 + first];  // finds: race
}

__global__ void of_one_warp(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncwarp();
#endif
  out[threadIdx.x] = values[(threadIdx.x + 1) % 32];  // finds: race
}

// What another stretch needs is no reason against it.
__global__ void two_stretches(int* out) {
  __shared__ int of_warp[64], of_block[64];
  of_warp[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncwarp();
#endif
  out[threadIdx.x] = of_warp[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32];  // finds: race
  __syncthreads();
  of_block[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.x] = of_block[63 - threadIdx.x];  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  of_one_warp<<<1, 32>>>(out);
  two_stretches<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
