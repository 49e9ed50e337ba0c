// A block sends a tile to another one's shared memory, and writes there again while the copy may
// still read: that it is done only the receiver knows, who has to tell.
// says: may still read: the thread does not know of its end
// says: write there only behind a wait for the mbarrier that the copy completes
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
__device__ void init(std::uint64_t* barrier, unsigned count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(
          shared_address(barrier)),
      "r"(count)
      : "memory");
}
__device__ void expect(const std::uint64_t* barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(shared_address(barrier))
      : "memory");
}
__device__ void arrive_at(const std::uint64_t* barrier, unsigned rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   address_in(barrier, rank))
               : "memory");
}
__device__ void wait(const std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
__device__ void send(const int* to, const int* from, const std::uint64_t* barrier, unsigned rank) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, "
      "[%2];" ::"r"(address_in(to, rank)),
      "r"(shared_address(from)), "r"(address_in(barrier, rank))
      : "memory");
}

// Each of two blocks sends to the other, and knows only of the copy that it has got itself.
__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ alignas(16) int mine[64], got[64];
  __shared__ std::uint64_t came;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    init(&came, 1);
    expect(&came);
  }
  mine[threadIdx.x] = static_cast<int>(threadIdx.x);
  asm volatile("fence.proxy.async;" ::: "memory");
  cluster.sync();
  if (threadIdx.x == 0) send(got, mine, &came, cluster.block_rank() ^ 1U);
  wait(&came, 0);
#ifdef MENDED
  cluster.sync();
#endif
  mine[threadIdx.x] = got[threadIdx.x];  // finds: race
  cluster.sync();
  out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
}

// One block sends two tiles, and the other lets it fill the place again: when it has waited, or
// before.
__global__ void __cluster_dims__(2) hands_on(int* out) {
  __shared__ alignas(16) int tile[64];
  __shared__ std::uint64_t came, free;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    init(&came, 1);
    init(&free, 64);
  }
  cluster.sync();
  for (unsigned round = 0; round < 2; ++round) {
    if (cluster.block_rank() == 0) {
      if (round != 0) wait(&free, 0);
      tile[threadIdx.x] = static_cast<int>(threadIdx.x + round);  // finds: race
      asm volatile("fence.proxy.async;" ::: "memory");
      __syncthreads();
      if (threadIdx.x == 0) send(tile, tile, &came, 1);
    } else {
      if (threadIdx.x == 0) expect(&came);
#ifdef MENDED
      wait(&came, round);
      out[64 * round + threadIdx.x] = tile[threadIdx.x];
      asm volatile("fence.proxy.async;" ::: "memory");
      arrive_at(&free, 0);
#else
      arrive_at(&free, 0);
      wait(&came, round);
#endif
    }
  }
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  exchange<<<2, 64>>>(out);
  hands_on<<<2, 64>>>(out);
  cudaFree(out);
}
