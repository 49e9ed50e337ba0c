// A block reads the shared memory of the other one of its cluster, which may not have written yet.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ int numbers[32];
  const cg::cluster_group cluster = cg::this_cluster();
  numbers[threadIdx.x] = static_cast<int>(100 * blockIdx.x + threadIdx.x);
#ifdef MENDED
  cluster.sync();
#else
  __syncthreads();
#endif
  const int* const other = cluster.map_shared_rank(numbers, 1 - static_cast<int>(blockIdx.x % 2));
  out[blockIdx.x * 32 + threadIdx.x] = other[31 - threadIdx.x];  // finds: race
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, 4 * 32 * sizeof(int));
  exchange<<<4, 32>>>(out);
  cudaFree(out);
}
