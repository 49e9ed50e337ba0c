// Each array has its own bounds: the element after the first array lies in the second.
#include <cuda_runtime.h>

__global__ void two_arrays(int* out) {
  __shared__ int first[32];
  __shared__ int second[64];
  second[threadIdx.x] = second[threadIdx.x + 32] = 0;
  first[threadIdx.x] = threadIdx.x;
  __syncthreads();
#ifdef MENDED
  out[threadIdx.x] = first[(threadIdx.x + 1) % 32];
#else
  out[threadIdx.x] = first[threadIdx.x + 1];  // finds: out-of-bounds
#endif
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  two_arrays<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
