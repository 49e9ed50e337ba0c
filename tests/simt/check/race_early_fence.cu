// The fence stands above the write that it is to let others know of.
// says: the __threadfence() before the atomic at
// says: and a fence orders only what comes before it: move it between that write
// says not: give each block elements of its own
#include <cuda_runtime.h>

__device__ unsigned tickets;

__global__ void total(const float* in, float* partial, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
#ifndef MENDED
    __threadfence();
#endif
    partial[blockIdx.x] = in[blockIdx.x];
#ifdef MENDED
    __threadfence();
#endif
    last = atomicAdd(&tickets, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x < gridDim.x) out[threadIdx.x] = partial[threadIdx.x];  // finds: race
}

int main() {
  float *in, *partial, *out;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMalloc(&partial, 32 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(in, 0, 32 * sizeof(float));
  total<<<8, 32>>>(in, partial, out);
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
}
