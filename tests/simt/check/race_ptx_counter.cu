// The last block to come adds up what the others wrote. The counter is PTX: added to in relaxed
// order it says that all have come, and not that what they wrote can be seen.
#include <cuda_runtime.h>

#ifdef MENDED
#define ADD "atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
#else
#define ADD "atom.add.relaxed.gpu.global.u32 %0, [%1], %2;"
#endif

__global__ void total(int* parts, unsigned* done, int* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = 1;
  unsigned before;
  asm volatile(ADD : "=r"(before) : "l"(done), "r"(1) : "memory");
  if (before + 1 < gridDim.x) return;
  int all = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    all += parts[i];  // finds: race
  }
  *sum = all;
}

int main() {
  constexpr int kBlocks = 8;
  int* parts;
  int* sum;
  unsigned* done;
  cudaMalloc(&parts, kBlocks * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(done, 0, sizeof(unsigned));
  total<<<kBlocks, 32>>>(parts, done, sum);
  cudaFree(parts);
  cudaFree(sum);
  cudaFree(done);
}
