// Four threads write the bytes of one word, and a thread of another warp reads the first of them.
#include <cuda_runtime.h>

__global__ void hand_over(unsigned char* out) {
  __shared__ unsigned char flags[4];
  if (threadIdx.x < 4) flags[threadIdx.x] = static_cast<unsigned char>(threadIdx.x + 1);
#ifdef MENDED
  __syncthreads();
#endif
  if (threadIdx.x == 32) out[0] = flags[0];  // finds: race
}

int main() {
  unsigned char* out;
  cudaMalloc(&out, 1);
  hand_over<<<1, 64>>>(out);
  cudaFree(out);
}
