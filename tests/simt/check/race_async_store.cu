// A thread stores into the other block of its cluster by st.async; that block's threads read after
// a barrier of the cluster, which does not tell that the store is done: its mbarrier does.
//
// says: a copy that the thread has not waited for
#include <cuda_runtime.h>

#include <cstdint>

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ unsigned there(const void* own) {
  unsigned rank, address;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(shared_address(own)), "r"(1 - rank));
  return address;
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ int numbers[32];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(shared_address(&barrier)));
  }
  meet();
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
          there(&numbers[threadIdx.x])),
      "r"(blockIdx.x), "r"(there(&barrier))
      : "memory");
#ifdef MENDED
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra again;\n}" ::"r"(shared_address(&barrier))
      : "memory");
#else
  meet();
#endif
  out[32 * blockIdx.x + threadIdx.x] = numbers[threadIdx.x];  // finds: race
  meet();
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  exchange<<<2, 32>>>(out);
  cudaFree(out);
}
