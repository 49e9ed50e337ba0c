/// @file
/// cp.async: each thread copies a few bytes from global to shared memory, without a register
/// between and without waiting. One function for each line of PTX.
///
/// A thread closes its copies in groups, and waits for its own copies only: before another thread
/// reads what was copied, all threads wait for theirs and then meet at a barrier. Both addresses
/// are multiples of the size.
///
/// Source: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy": "cp.async",
/// "cp.async.commit_group", "cp.async.wait_group". Needs sm_80.
#pragma once

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// @brief Starts to copy 4, 8 or 16 bytes by way of the L1 cache: cp.async.ca.shared.global.
template <int kBytes>
__device__ __forceinline__ void cp_async_ca(void* to_shared, const void* from_global) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async copies 4, 8 or 16 bytes");
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to_shared)),
               "l"(from_global), "n"(kBytes)
               : "memory");
}

/// @brief Starts to copy 16 bytes past the L1 cache: cp.async.cg.shared.global.
__device__ __forceinline__ void cp_async_cg(void* to_shared, const void* from_global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
               "l"(from_global)
               : "memory");
}

/// @brief The same, and a hint that the line of 128 bytes will be wanted in the L2 cache:
/// cp.async.cg.shared.global.L2::128B.
__device__ __forceinline__ void cp_async_cg_prefetch(void* to_shared, const void* from_global) {
  asm volatile(
      "cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
      "l"(from_global)
      : "memory");
}

/// @brief Copies the first `valid` of 4, 8 or 16 bytes; the others become 0 and are not read:
/// cp.async.ca.shared.global with its source's size. At the edge of a matrix `valid` is 0 for what
/// lies outside.
template <int kBytes>
__device__ __forceinline__ void cp_async_ca_zero_fill(void* to_shared, const void* from_global,
                                                      unsigned valid) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "cp.async copies 4, 8 or 16 bytes");
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to_shared)),
               "l"(from_global), "n"(kBytes), "r"(valid)
               : "memory");
}

/// @brief The same for 16 bytes past the L1 cache: cp.async.cg.shared.global.
__device__ __forceinline__ void cp_async_cg_zero_fill(void* to_shared, const void* from_global,
                                                      unsigned valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to_shared)),
               "l"(from_global), "r"(valid)
               : "memory");
}

/// @brief Closes the group of copies that this thread has started since the last time; it may be
/// empty: cp.async.commit_group.
__device__ __forceinline__ void cp_async_commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// @brief Waits until at most the `kPending` latest groups of this thread are under way:
/// cp.async.wait_group.
template <int kPending>
__device__ __forceinline__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// @brief Waits for all copies of this thread, whether in a group or not: cp.async.wait_all.
__device__ __forceinline__ void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

}  // namespace tut::ptx
