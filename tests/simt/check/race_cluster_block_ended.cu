// A thread reads shared memory of another block of its cluster, or arrives at an mbarrier there,
// and that block does not wait for it: it may have ended before, and its shared memory with it.
// says: uses shared memory of block (1,0,0), which does not wait for that: it may have ended before
// says: let all blocks of the cluster meet behind the last use
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void arrive_at(const std::uint64_t* barrier, unsigned rank) {
  asm volatile(  // finds: race
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(
          shared_address(barrier)),
      "r"(rank)
      : "memory");
}
__device__ void wait(const std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// The first half of the last barrier comes before the read, where its second half does nothing.
__global__ void __cluster_dims__(2) reads_between_halves(int* out) {
  __shared__ int part;
  cg::cluster_group cluster = cg::this_cluster();
  part = 7;
  cluster.sync();
#ifndef MENDED
  cluster.barrier_arrive();
#endif
  if (cluster.block_rank() == 0) {
    out[threadIdx.x] = *cluster.map_shared_rank(&part, 1);  // finds: race
  }
#ifdef MENDED
  cluster.barrier_arrive();
#endif
  cluster.barrier_wait();
}

// The first block lets the second read, and waits at a barrier of its own until that is done, or
// does not.
__global__ void __cluster_dims__(2) hands_over(int* out) {
  __shared__ int part;
  __shared__ std::uint64_t done;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    part = 7;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&done)) : "memory");
  }
  cluster.sync();
  if (cluster.block_rank() == 1) {
    if (threadIdx.x == 0) {
      out[0] = *cluster.map_shared_rank(&part, 0);
      arrive_at(&done, 0);
    }
  } else {
#ifdef MENDED
    if (threadIdx.x == 5) wait(&done, 0);
#endif
  }
}

// A relaxed arrival says that a thread has come as well.
__global__ void __cluster_dims__(2) arrives_relaxed(int* out) {
  __shared__ int part;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) part = 7;
  cluster.sync();
  if (cluster.block_rank() == 0) out[threadIdx.x] = *cluster.map_shared_rank(&part, 1);
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  reads_between_halves<<<2, 1>>>(out);
  hands_over<<<2, 64>>>(out);
  arrives_relaxed<<<2, 64>>>(out);
  cudaFree(out);
}
