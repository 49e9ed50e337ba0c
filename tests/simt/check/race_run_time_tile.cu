// The threads of a part of a block, of a size known at run time, wait for each other by its sync().
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int neighbour(const cg::thread_group& group, int* values, int value) {
  const auto rank = static_cast<unsigned>(group.thread_rank());
  values[rank] = value;
#ifdef MENDED
  group.sync();
#endif
  return values[(rank + 1) % static_cast<unsigned>(group.size())];  // finds: race
}

__global__ void shift(int* out, unsigned size) {
  __shared__ int values[64];
  const cg::thread_group block = cg::this_thread_block();
  const cg::thread_group half = cg::tiled_partition(cg::tiled_partition(block, 2 * size), size);
  out[threadIdx.x] = neighbour(half, values + threadIdx.x / size * size, threadIdx.x);
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  shift<<<1, 64>>>(out, 16);
  cudaDeviceSynchronize();
  cudaFree(out);
}
