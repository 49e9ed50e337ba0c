// The counters are never set to zero.
// says: the contents of new device memory are undefined
#include <cuda_runtime.h>

__global__ void histogram(const unsigned char* in, unsigned* counts) {
  atomicAdd(&counts[in[threadIdx.x] % 8], 1u);  // finds: uninitialised
}

int main() {
  unsigned char* in;
  unsigned* counts;
  cudaMalloc(&in, 64);
  cudaMalloc(&counts, 8 * sizeof(unsigned));
  cudaMemset(in, 3, 64);
#ifdef MENDED
  cudaMemset(counts, 0, 8 * sizeof(unsigned));
#endif
  histogram<<<1, 64>>>(in, counts);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(counts);
}
