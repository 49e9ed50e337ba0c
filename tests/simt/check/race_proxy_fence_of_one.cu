// One lane fences what the lanes of its warp write for a copy, and does so before it knows of their
// writes: the fence has to stand behind the meeting, or in each lane.
// says: with no fence.proxy.async between
#include <cuda_runtime.h>

__global__ void store(int* out) {
  __shared__ alignas(128) int tile[32];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
#ifdef MENDED
  __syncwarp();
#endif
  if (threadIdx.x == 0) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  if (threadIdx.x == 0) {
    asm volatile(  // finds: race
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out),
        "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile)))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  store<<<1, 32>>>(out);
  cudaFree(out);
}
