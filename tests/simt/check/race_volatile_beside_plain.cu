// A volatile or atomic access does not make up for a plain one beside it.
#include <cuda_runtime.h>

__device__ void settle() {
#ifdef MENDED
  __syncthreads();
#endif
}

// The thread's own volatile store does not cover its plain one.
__global__ void store_then_volatile(int* out) {
  __shared__ int word;
  volatile int* seen = &word;
  if (threadIdx.x == 0) {
    word = 1;
    __threadfence_block();
    *seen = 2;
  }
  settle();
  if (threadIdx.x >= 32) out[threadIdx.x] = *seen;  // finds: race
}

// Nor does the atomic of another thread cover a volatile one.
__global__ void volatile_then_atomic(int* out) {
  __shared__ int word;
  volatile int* seen = &word;
  if (threadIdx.x == 0) *seen = 1;
  if (threadIdx.x == 40) atomicExch(&word, 2);
  settle();
  if (threadIdx.x == 40) out[0] = word;  // finds: race
}

// Volatile reads of many threads between a plain read and the atomic that it races with.
__global__ void read_and_polled(int* word, int* out) {
#ifndef MENDED
  if (blockIdx.x == 0) out[0] = *word;
#endif
  if (blockIdx.x < 3) out[blockIdx.x + 1] = *static_cast<volatile int*>(word);
  if (blockIdx.x == 3) atomicAdd(word, 1);  // finds: race
}

// A store of what is there already harms no plain store, but an atomic counts on its word.
__global__ void same_value(int* word) {
  if (blockIdx.x == 0) atomicExch(word, 7);
#ifndef MENDED
  if (blockIdx.x == 1) *word = 7;  // finds: race
#endif
}

int main() {
  int *word, *out;
  cudaMalloc(&word, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(word, 0, sizeof(int));
  store_then_volatile<<<1, 64>>>(out);
  volatile_then_atomic<<<1, 64>>>(out);
  read_and_polled<<<4, 1>>>(word, out);
  same_value<<<2, 1>>>(word);
  cudaFree(word);
  cudaFree(out);
}
