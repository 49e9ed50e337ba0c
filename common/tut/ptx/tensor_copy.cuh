/// @file
/// Copies of boxes of tensors by the copy engine (TMA, the tensor memory accelerator). One function
/// for each line of PTX.
///
/// A CUtensorMap, made by cuTensorMapEncodeTiled, says what the tensor is and how large the box;
/// the kernel gives the coordinates of the box's first element, the innermost first. Elements
/// outside of the tensor are read as 0 and not written. `map` is a parameter of the kernel, `const
/// __grid_constant__ CUtensorMap`, and the place in shared memory a multiple of 128 bytes.
///
/// Source: PTX ISA, "Data Movement and Conversion Instructions: Tensor copy". Needs sm_90.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// @brief Starts to read a box of a matrix:
/// cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.
__device__ __forceinline__ void cp_async_bulk_tensor_2d_to_shared(void* to_shared,
                                                                  const CUtensorMap& map, int x,
                                                                  int y, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}

/// @brief The same into the blocks of the cluster whose bits are set in `blocks`, to the same place
/// in each one's shared memory and its barrier: `.multicast::cluster`.
__device__ __forceinline__ void cp_async_bulk_tensor_2d_multicast(void* to_shared,
                                                                  const CUtensorMap& map, int x,
                                                                  int y, std::uint64_t* barrier,
                                                                  std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to_shared)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

/// @brief Starts to write a box of a matrix:
/// cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.
__device__ __forceinline__ void cp_async_bulk_tensor_2d_to_global(const CUtensorMap& map, int x,
                                                                  int y, const void* from_shared) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
          &map),
      "r"(x), "r"(y), "r"(shared_address(from_shared))
      : "memory");
}

/// @brief Reads the map ahead of its first use: prefetch.tensormap.
__device__ __forceinline__ void prefetch_tensormap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

}  // namespace tut::ptx
