/// @file
/// What stands around wgmma, products by a warpgroup of 128 threads: descriptors of matrices in
/// shared memory, and waiting. One function for each line of PTX.
///
/// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Matrix Descriptor Format".
/// Needs sm_90a.
#pragma once

#include <cstdint>

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// How the 16-byte pieces of rows in shared memory change places, as a descriptor says it.
enum class MatrixSwizzle : unsigned { none = 0, bytes_128 = 1, bytes_64 = 2, bytes_32 = 3 };

/// @brief The descriptor of a matrix in shared memory.
///
/// `leading` and `stride` are bytes, multiples of 16. Where k runs along the rows: with a swizzle
/// `stride` leads from 8 rows to the next 8 and `leading` does not count; without one, `leading`
/// leads from 16 bytes of a row to the next 16.
__device__ __forceinline__ std::uint64_t matrix_descriptor(const void* matrix, unsigned leading,
                                                           unsigned stride, MatrixSwizzle swizzle) {
  const auto field = [](unsigned bytes) { return std::uint64_t{(bytes & 0x3FFFF) >> 4}; };
  return field(shared_address(matrix)) | field(leading) << 16 | field(stride) << 32 |
         std::uint64_t{static_cast<unsigned>(swizzle)} << 62;
}

/// @brief Orders this thread's accesses to registers and shared memory before the products that
/// follow: wgmma.fence.sync.aligned.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// @brief Closes the group of products since the last time: wgmma.commit_group.sync.aligned.
__device__ __forceinline__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// @brief Waits until at most the `kPending` latest groups are under way; until then nobody touches
/// their sums: wgmma.wait_group.sync.aligned.
template <int kPending>
__device__ __forceinline__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

}  // namespace tut::ptx
