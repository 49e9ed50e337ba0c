/// @file
/// Clusters of blocks: a barrier of all their threads, and where a block is in its own. One
/// function for each line of PTX.
///
/// Source: PTX ISA, "barrier.cluster", "Special Registers". Needs sm_90.
#pragma once

namespace tut::ptx {

/// @brief Which of its cluster's blocks this is: %cluster_ctarank.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// @brief Says that this thread has come: barrier.cluster.arrive.release.aligned.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/// @brief Waits until all threads of the cluster have come: barrier.cluster.wait.acquire.aligned.
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace tut::ptx
