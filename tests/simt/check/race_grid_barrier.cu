// Blocks read what others wrote, with no barrier of the whole grid between.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void rotate(int* a, int* b) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // finds: race
#ifdef MENDED
  cg::this_grid().sync();
#else
  cg::this_thread_block().sync();
#endif
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  b[blockIdx.x * blockDim.x + threadIdx.x] = a[next * blockDim.x + threadIdx.x];  // finds: race
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 4 * 64 * sizeof(int));
  cudaMalloc(&b, 4 * 64 * sizeof(int));
  cudaMemset(a, 0, 4 * 64 * sizeof(int));
  void* arguments[] = {&a, &b};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(4), dim3(64), arguments, 0,
                              nullptr);
  cudaFree(a);
  cudaFree(b);
}
