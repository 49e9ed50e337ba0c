/// @file
/// Copies of many bytes by the copy engine: one thread starts one. One function for each line of
/// PTX.
///
/// Addresses and sizes are multiples of 16 bytes. A copy to shared memory brings its bytes to an
/// mbarrier when it is done; those from shared memory are closed in groups by the thread that
/// started them. The copy engine sees what threads have written to shared memory only after
/// `fence_proxy_async`, in the threads that wrote, and a barrier.
///
/// Source: PTX ISA, "Data Movement and Conversion Instructions: Bulk copy", "Async proxy". Needs
/// sm_90.
#pragma once

#include <cstdint>

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// @brief Starts to copy from global to shared memory:
/// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.
__device__ __forceinline__ void cp_async_bulk_to_shared(void* to_shared, const void* from_global,
                                                        unsigned bytes, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to_shared)),
      "l"(from_global), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// @brief Starts to copy from shared to global memory: cp.async.bulk.global.shared::cta.bulk_group.
__device__ __forceinline__ void cp_async_bulk_to_global(void* to_global, const void* from_shared,
                                                        unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to_global),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
}

/// @brief Starts to add floats in shared memory to those in global memory:
/// cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32.
__device__ __forceinline__ void cp_reduce_async_bulk_add(float* to_global, const float* from_shared,
                                                         unsigned bytes) {
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to_global),
      "r"(shared_address(from_shared)), "r"(bytes)
      : "memory");
}

/// @brief Closes the group of copies from shared memory that this thread has started since the last
/// time: cp.async.bulk.commit_group.
__device__ __forceinline__ void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// @brief Waits until at most the `kPending` latest groups still read shared memory, which may then
/// be written again: cp.async.bulk.wait_group.read.
template <int kPending>
__device__ __forceinline__ void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

/// @brief The same until what they wrote is there: cp.async.bulk.wait_group.
template <int kPending>
__device__ __forceinline__ void cp_async_bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

/// @brief Lets the copy engine and tensor cores see what this thread wrote to shared memory:
/// fence.proxy.async.shared::cta.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace tut::ptx
