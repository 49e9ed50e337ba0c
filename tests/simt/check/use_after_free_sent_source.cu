// A block sends a tile to another one's shared memory, and ends while the copy may still read: it
// has not met anybody who knows that the copy is done.
// says: the block's shared memory may end before all is read
// says: let the block that waits for the mbarrier of the copy meet this one
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ unsigned address_in(const void* p, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
  return there;
}

template <bool kRelaxed>
__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ alignas(16) int mine[64], got[64];
  __shared__ std::uint64_t came;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned other = cluster.block_rank() ^ 1U;
  if (threadIdx.x == 0) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared_address(&came))
        : "memory");
  }
  mine[threadIdx.x] = static_cast<int>(threadIdx.x);
  asm volatile("fence.proxy.async;" ::: "memory");
  cluster.sync();
  if (threadIdx.x == 0) {
    if constexpr (kRelaxed) {
      asm volatile(  // finds: use-after-free
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, "
          "[%2];" ::"r"(address_in(got, other)),
          "r"(shared_address(mine)), "r"(address_in(&came, other))
          : "memory");
    } else {
      asm volatile(  // finds: use-after-free
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, "
          "[%2];" ::"r"(address_in(got, other)),
          "r"(shared_address(mine)), "r"(address_in(&came, other))
          : "memory");
    }
  }
#ifndef MENDED
  // Too early: no thread knows of the copy's end here.
  if constexpr (kRelaxed) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra again;\n}" ::"r"(shared_address(&came))
      : "memory");
  out[blockIdx.x * 64 + threadIdx.x] = got[threadIdx.x];
#ifdef MENDED
  if constexpr (kRelaxed) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  } else {
    cluster.sync();
  }
#endif
  if constexpr (kRelaxed) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  exchange<false><<<2, 64>>>(out);
  exchange<true><<<2, 64>>>(out);
  cudaFree(out);
}
