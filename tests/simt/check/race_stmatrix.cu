// What stmatrix stores other lanes see behind a __syncwarp(), and other warps behind a barrier.
#include <cuda_runtime.h>

__global__ void store(unsigned* out) {
  __shared__ alignas(16) unsigned short tiles[2][8 * 8];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tiles[warp][lane % 8 * 8]));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(lane)
               : "memory");
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.x] = tiles[1 - warp][lane];  // finds: race
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 64 * sizeof(unsigned));
  store<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
