// Counters of one byte each: four threads share a word, but no byte.
#include <cuda_runtime.h>

__global__ void count(const unsigned char* in, unsigned* out) {
  __shared__ alignas(4) unsigned char counts[64];
  if (threadIdx.x < 16) reinterpret_cast<unsigned*>(counts)[threadIdx.x] = 0;
  __syncthreads();
#ifdef MENDED
  const unsigned own = threadIdx.x;
#else
  const unsigned own = threadIdx.x / 2;
#endif
  for (int i = 0; i < 4; ++i) counts[own] += in[threadIdx.x * 4 + i];  // finds: race
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x];
}

int main() {
  unsigned char* in;
  unsigned* out;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 64 * sizeof(unsigned));
  cudaMemset(in, 1, 256);
  count<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
