// One array is shared within each warp, another one by the whole block, in one stretch: the barrier
// that is missing is the block's, and one of the warp is not offered for either.
// says not: put __syncwarp()
#include <cuda_runtime.h>

__global__ void shift(int* out) {
  __shared__ int of_warp[64], of_block[64];
  const unsigned in_warp = threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32;
  of_warp[threadIdx.x] = static_cast<int>(threadIdx.x);
  of_block[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.x] = of_warp[in_warp];                        // finds: race
  out[threadIdx.x + 64] = of_block[(threadIdx.x + 32) % 64];  // finds: race
}

// One thread of the first warp stores, and all add: those of the second warp as well.
__global__ void sum(int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = total;
#ifdef MENDED
  __syncthreads();
#endif
  atomicAdd(&total, 1);  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  shift<<<1, 64>>>(out);
  sum<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
