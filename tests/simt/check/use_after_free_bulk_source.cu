// A block ends while a copy may still read its shared memory: nobody waits for it, or another
// thread than the one that started it. says: the block's shared memory may end before all is read
#include <cuda_runtime.h>

template <bool kOtherWaits>
__global__ void store(int* out) {
  __shared__ alignas(128) int tile[32];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    if constexpr (kOtherWaits) {
      asm volatile(  // finds: use-after-free
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(at)
          : "memory");
    } else {
      asm volatile(  // finds: use-after-free
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(at)
          : "memory");
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#ifdef MENDED
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
  }
  if (kOtherWaits && threadIdx.x == 1) {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  store<false><<<1, 32>>>(out);
  store<true><<<1, 32>>>(out);
  cudaFree(out);
}
