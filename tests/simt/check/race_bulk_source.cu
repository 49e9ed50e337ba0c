// A thread starts a copy from shared memory, and the block writes there again before that copy has
// read all: a group that is committed has to be waited for.
// says: before that copy has been waited for
// says: wait for that copy by cp.async.bulk.wait_group.read
#include <cuda_runtime.h>

__global__ void twice(int* out) {
  __shared__ alignas(128) int tile[64];
  for (int round = 0; round < 2; ++round) {
    tile[threadIdx.x] = static_cast<int>(threadIdx.x) + round;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile(  // finds: race
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out + 64 * round),
          "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile)))
          : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#ifdef MENDED
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    }
    __syncthreads();
  }
#ifndef MENDED
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  twice<<<1, 64>>>(out);
  cudaFree(out);
}
