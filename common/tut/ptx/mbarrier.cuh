/// @file
/// mbarriers: barriers in shared memory that count threads that arrive and bytes that copies bring.
/// One function for each line of PTX.
///
/// A phase of a barrier is complete when as many threads have arrived as it was initialised for,
/// and as many bytes have come as arrivals announced. Then the next phase begins. Phases have a
/// parity: the first is 0, the next is 1, then 0 again; who waits names the parity of the phase to
/// wait for.
///
/// Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". Needs
/// sm_90.
#pragma once

#include <cstdint>

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// @brief Makes a barrier of `arrivals` threads a phase; one thread does so, and others use it
/// after `mbarrier_init_fence` and a barrier of the block: mbarrier.init.shared::cta.b64.
__device__ __forceinline__ void mbarrier_init(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

/// @brief Makes what was initialised visible to the copy engine and to the other blocks of the
/// cluster: fence.mbarrier_init.release.cluster.
__device__ __forceinline__ void mbarrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// @brief Arrives: mbarrier.arrive.shared::cta.b64.
__device__ __forceinline__ void mbarrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

/// @brief Arrives, and announces `bytes` that copies will bring:
/// mbarrier.arrive.expect_tx.shared::cta.b64.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(std::uint64_t* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

/// @brief Arrives at the same barrier of the block of the cluster with this rank:
/// mbarrier.arrive.release.cluster.shared::cluster.b64.
__device__ __forceinline__ void mbarrier_arrive_at_rank(std::uint64_t* barrier, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

/// @brief Whether the phase with this parity is complete; it may wait for that for a while:
/// mbarrier.try_wait.parity.shared::cta.b64.
__device__ __forceinline__ bool mbarrier_try_wait(std::uint64_t* barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// @brief Whether it is complete now: mbarrier.test_wait.parity.shared::cta.b64.
__device__ __forceinline__ bool mbarrier_test_wait(std::uint64_t* barrier, unsigned parity) {
  unsigned complete;
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n"
      "}"
      : "=r"(complete)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return complete != 0;
}

/// @brief Waits until the phase with this parity is complete.
__device__ __forceinline__ void mbarrier_wait(std::uint64_t* barrier, unsigned parity) {
  while (!mbarrier_try_wait(barrier, parity)) {
  }
}

}  // namespace tut::ptx
