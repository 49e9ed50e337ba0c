// The launch asks for less dynamic shared memory than the kernel uses.
// says: writes shared memory just past the end of the 64 bytes that its launch asks for
// says: the third argument of a launch is a size in bytes
#include <cuda_runtime.h>

__global__ void reverse(int* data) {
  extern __shared__ int stage[];
  stage[threadIdx.x] = data[threadIdx.x];  // finds: out-of-bounds
  __syncthreads();
  data[threadIdx.x] = stage[blockDim.x - 1 - threadIdx.x];  // finds: out-of-bounds
}

int main() {
  int* data;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
#ifdef MENDED
  reverse<<<1, 64, 64 * sizeof(int)>>>(data);
#else
  reverse<<<1, 64, 64>>>(data);
#endif
  cudaDeviceSynchronize();
  cudaFree(data);
}
