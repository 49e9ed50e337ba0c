// Threads add to a counter, and one of them reads it when it has added its own part: the others may
// not have come to theirs. The thread that happens to be the last is no exception.
// says: thread (95,0,0) of block (0,0,0) reads count[0], updated atomically by thread
#include <cuda_runtime.h>

__device__ void settle() {
#ifdef MENDED
  __syncthreads();
#endif
}

__global__ void last_reads(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  settle();
  if (threadIdx.x == 95) *out = count;  // finds: race
}

__global__ void first_reads(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  settle();
  if (threadIdx.x == 0) *out = count;  // finds: race
}

// It uses what its own atomic returned, which tells of no other word, and not of this one.
__global__ void takes_a_place(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const int place = atomicAdd(&count, 1);
  out[place] = static_cast<int>(threadIdx.x);
  settle();
  if (threadIdx.x == 95) out[96] = count;  // finds: race
}

__global__ void last_of_warp_reads(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  atomicOr(&count, 1 << threadIdx.x);
#ifdef MENDED
  __syncwarp();
#endif
  if (threadIdx.x == 31) *out = count;  // finds: race
}

// The threads of the reader's warp have met, those of the other warps have not.
__global__ void warp_reads(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncwarp();
  settle();
  if (threadIdx.x == 95) *out = count;  // finds: race
}

__global__ void last_block_reads(int* count, int* out) {
#ifdef MENDED
  __threadfence();
  if (atomicAdd(count, 1) == static_cast<int>(gridDim.x) - 1) *out = *count;
#else
  atomicAdd(count, 1);
  if (blockIdx.x == gridDim.x - 1) *out = *count;  // finds: race
#endif
}

int main() {
  int *out, *count;
  cudaMalloc(&out, 97 * sizeof(int));
  cudaMalloc(&count, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  last_reads<<<1, 96>>>(out);
  first_reads<<<1, 96>>>(out);
  takes_a_place<<<1, 96>>>(out);
  last_of_warp_reads<<<1, 32>>>(out);
  warp_reads<<<1, 96>>>(out);
  last_block_reads<<<8, 1>>>(count, out);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(count);
}
