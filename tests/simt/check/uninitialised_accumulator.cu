// A histogram in shared memory that nobody sets to zero.
// says: write it first; the contents of shared memory are undefined when a block begins
#include <cuda_runtime.h>

__global__ void histogram(const unsigned char* in, unsigned* out) {
  __shared__ unsigned bins[16];
#ifdef MENDED
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
#endif
  atomicAdd(&bins[in[threadIdx.x] % 16], 1U);  // finds: uninitialised
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

int main() {
  unsigned char* in;
  unsigned* out;
  cudaMalloc(&in, 64);
  cudaMalloc(&out, 16 * sizeof(unsigned));
  unsigned char host[64];
  for (int i = 0; i < 64; ++i) host[i] = static_cast<unsigned char>(i);
  cudaMemcpy(in, host, 64, cudaMemcpyHostToDevice);
  histogram<<<1, 64>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
