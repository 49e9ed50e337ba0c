// A plain read beside the atomics of other threads. That a thread adds afterwards does not make its
// read a guess: only a compare-and-swap finds out whether it was right.
#include <cuda_runtime.h>

__device__ void settle() {
#ifdef MENDED
  __syncthreads();
#endif
}

__global__ void all_read(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  out[threadIdx.x] = count;
  settle();
  atomicAdd(&count, 1);  // finds: race
}

// An atomic that the headers make of a compare-and-swap is no guess of the learner's either.
__global__ void all_read_real(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  out[threadIdx.x] = sum;
  settle();
  atomicAdd(&sum, 1.0f);  // finds: race
}

__global__ void one_reads(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
  settle();
  atomicAdd(&count, 1);  // finds: race
}

__global__ void one_block_reads(int* count, int* out) {
#ifndef MENDED
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = *count;
#endif
  atomicAdd(count, 1);  // finds: race
}

__global__ void guess(int* count) {
  int old = *count, seen;
  do {
    seen = old;
    old = atomicCAS(count, seen, seen + 1);
  } while (old != seen);
}

int main() {
  int *out, *count;
  float* sums;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMalloc(&count, sizeof(int));
  cudaMalloc(&sums, 64 * sizeof(float));
  cudaMemset(count, 0, sizeof(int));
  all_read<<<1, 64>>>(out);
  all_read_real<<<1, 64>>>(sums);
  one_reads<<<1, 64>>>(out);
  one_block_reads<<<4, 64>>>(count, out);
  guess<<<4, 64>>>(count);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(count);
  cudaFree(sums);
}
