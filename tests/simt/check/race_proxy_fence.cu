// Threads write a tile, and one of them starts a copy of it to global memory: the copy engine sees
// what they wrote only behind a fence of its own kind, in each of them or in the one that starts.
// says: with no fence.proxy.async between
#include <cuda_runtime.h>

#include <cstdint>

__device__ void store(int* to, const int* tile) {
  asm volatile(  // finds: race
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile)))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void by_all(int* out) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
  if (threadIdx.x == 0) store(out, tile);
}

__global__ void by_one(int* out) {
  __shared__ alignas(128) int tile[64];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncthreads();
#endif
  if (threadIdx.x == 0) asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) store(out, tile);
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  by_all<<<1, 64>>>(out);
  by_one<<<1, 64>>>(out);
  cudaFree(out);
}
