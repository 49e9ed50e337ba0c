// All blocks read the numbers, and one of them writes over them when its own threads have read:
// those of the other blocks may not have. It is the same whether the first block writes or the
// last, and however many threads have read since.
#include <cuda_runtime.h>

__device__ int sum_of(const int* data) {
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += data[i];  // finds: race
  return sum;
}

__global__ void first_clears(int* data, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum_of(data);
  __syncthreads();
#ifndef MENDED
  if (blockIdx.x == 0) data[threadIdx.x] = 0;
#endif
}

__global__ void last_clears(int* data, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum_of(data);
  __syncthreads();
#ifndef MENDED
  if (blockIdx.x == gridDim.x - 1) data[threadIdx.x] = 0;  // finds: race
#endif
}

__global__ void last_counts(int* data, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum_of(data);
  __syncthreads();
#ifndef MENDED
  if (blockIdx.x == gridDim.x - 1) atomicAdd(&data[threadIdx.x], 1);  // finds: race
#endif
}

// The last block to have read writes, which a fence and a count tell it.
__global__ void last_to_come_clears(int* data, int* out, unsigned* done) {
  __shared__ bool last;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum_of(data);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) data[threadIdx.x] = 0;
}

__global__ void clear(int* data) { data[threadIdx.x] = 0; }

int main() {
  int *data, *out;
  unsigned* done;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMalloc(&out, 4 * 64 * sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(data, 1, 64 * sizeof(int));
  cudaMemset(done, 0, sizeof(unsigned));
  first_clears<<<4, 64>>>(data, out);
  last_clears<<<4, 64>>>(data, out);
  last_counts<<<4, 64>>>(data, out);
  last_to_come_clears<<<4, 64>>>(data, out, done);
  clear<<<1, 64>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
  cudaFree(out);
  cudaFree(done);
}
