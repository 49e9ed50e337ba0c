// The first two threads that are found are of one warp, others of two: a barrier of the warp would
// not do, and is not offered.
// says: race_first_in_warp.cu:12: note: put __syncthreads() between the two
#include <cuda_runtime.h>

__global__ void shift(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.x] = values[(threadIdx.x + 1) % 64];  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
