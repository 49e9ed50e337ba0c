// A sum in shared memory begins with a plain store, and threads add to it by atomics: nothing says
// that the store comes first, whichever thread makes it. Its own atomics hide it from nobody.
// says: thread (1,0,0) of block (0,0,0) updates sum[0], written by thread (0,0,0) of block (0,0,0)
// says: put __syncthreads() between the two
#include <cuda_runtime.h>

__device__ void settle() {
#ifdef MENDED
  __syncthreads();
#endif
}

__global__ void first_stores(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  settle();
  atomicAdd(&sum, in[threadIdx.x]);  // finds: race
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

__global__ void last_stores(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 95) sum = 0;
  settle();
  atomicAdd(&sum, in[threadIdx.x]);  // finds: race
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

__global__ void middle_stores(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 40) sum = 0;
  settle();
  atomicAdd(&sum, in[threadIdx.x]);  // finds: race
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

__global__ void with_fences(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __threadfence_block();
  settle();
  atomicAdd(&sum, in[threadIdx.x]);  // finds: race
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

__global__ void within_warp(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
#ifdef MENDED
  __syncwarp();
#endif
  atomicMax(&sum, in[threadIdx.x]);  // finds: race
  __syncwarp();
  if (threadIdx.x == 0) *out = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 96 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 96 * sizeof(int));
  first_stores<<<1, 96>>>(in, out);
  last_stores<<<1, 96>>>(in, out);
  middle_stores<<<1, 96>>>(in, out);
  with_fences<<<1, 96>>>(in, out);
  within_warp<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
