// Blocks hand a sum from one to the next by a flag, written in PTX: a relaxed store orders nothing
// but the flag, a release orders all that the thread did before.
#include <cuda_runtime.h>

#ifdef MENDED
#define STORE "st.release.gpu.global.u32 [%0], %1;"
#else
#define STORE "st.relaxed.gpu.global.u32 [%0], %1;"
#endif

__device__ unsigned load(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__global__ void chain(int* sums, unsigned* ready) {
  if (threadIdx.x != 0) return;
  const unsigned block = blockIdx.x;
  while (block > 0 && load(ready + block - 1) == 0) {
  }
  const int before = block > 0 ? sums[block - 1] : 0;  // finds: race
  sums[block] = before + 1;
  asm volatile(STORE ::"l"(ready + block), "r"(1) : "memory");
}

int main() {
  constexpr int kBlocks = 8;
  int* sums;
  unsigned* ready;
  cudaMalloc(&sums, kBlocks * sizeof(int));
  cudaMalloc(&ready, kBlocks * sizeof(unsigned));
  cudaMemset(ready, 0, kBlocks * sizeof(unsigned));
  chain<<<kBlocks, 32>>>(sums, ready);
  cudaFree(sums);
  cudaFree(ready);
}
