/// @file
/// stmatrix: a warp stores one, two or four matrices of 8 x 8 elements of 16 bits from registers to
/// shared memory, the reverse of ldmatrix. One function for each line of PTX.
///
/// All 32 lanes call a function together. Lane 8 * i + r has the address of row r of matrix i, a
/// multiple of 16 bytes. Lane 4 * g + t holds in `r[i]` of matrix i the elements [g][2t], in the
/// lower half, and [g][2t + 1]; with `_trans` the elements [2t][g] and [2t + 1][g].
///
/// Source: PTX ISA, "Warp-level matrix store instruction: stmatrix". Needs sm_90.
#pragma once

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// @brief One matrix: stmatrix.sync.aligned.m8n8.x1.shared.b16.
__device__ __forceinline__ void stmatrix_x1(void* row, const unsigned (&r)[1]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
               "r"(r[0])
               : "memory");
}

/// @brief Two matrices: stmatrix.sync.aligned.m8n8.x2.shared.b16.
__device__ __forceinline__ void stmatrix_x2(void* row, const unsigned (&r)[2]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
      "r"(r[0]), "r"(r[1])
      : "memory");
}

/// @brief Four matrices: stmatrix.sync.aligned.m8n8.x4.shared.b16.
__device__ __forceinline__ void stmatrix_x4(void* row, const unsigned (&r)[4]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
      : "memory");
}

/// @brief One matrix, transposed: stmatrix.sync.aligned.m8n8.x1.trans.shared.b16.
__device__ __forceinline__ void stmatrix_x1_trans(void* row, const unsigned (&r)[1]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(row)),
      "r"(r[0])
      : "memory");
}

/// @brief Two matrices, transposed: stmatrix.sync.aligned.m8n8.x2.trans.shared.b16.
__device__ __forceinline__ void stmatrix_x2_trans(void* row, const unsigned (&r)[2]) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(row)),
      "r"(r[0]), "r"(r[1])
      : "memory");
}

/// @brief Four matrices, transposed: stmatrix.sync.aligned.m8n8.x4.trans.shared.b16.
__device__ __forceinline__ void stmatrix_x4_trans(void* row, const unsigned (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(row)),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

}  // namespace tut::ptx
