/// @file
/// ldmatrix: a warp loads one, two or four matrices of 8 x 8 elements of 16 bits from shared
/// memory, straight into the registers that mma.sync wants. One function for each line of PTX.
///
/// All 32 lanes call a function together. Lane 8 * i + r has the address of row r of matrix i, a
/// multiple of 16 bytes; rows may lie anywhere. Of one matrix only lanes 0 to 7 have addresses that
/// matter, of two lanes 0 to 15. Then lane 4 * g + t holds in `r[i]` of matrix i the elements
/// [g][2t], in the lower half, and [g][2t + 1]; with `_trans` the elements [2t][g] and [2t + 1][g].
///
/// The memory is clobbered: what was stored before has to be in shared memory by then, and a
/// barrier or __syncwarp() stands between the stores of other lanes and the load.
///
/// Source: PTX ISA, "Warp-level matrix load instruction: ldmatrix". Needs sm_75.
#pragma once

#include "tut/ptx/shared_address.cuh"

namespace tut::ptx {

/// @brief One matrix: ldmatrix.sync.aligned.m8n8.x1.shared.b16.
__device__ __forceinline__ void ldmatrix_x1(unsigned (&r)[1], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(shared_address(row))
               : "memory");
}

/// @brief Two matrices: ldmatrix.sync.aligned.m8n8.x2.shared.b16.
__device__ __forceinline__ void ldmatrix_x2(unsigned (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}

/// @brief Four matrices: ldmatrix.sync.aligned.m8n8.x4.shared.b16.
///
/// A's fragment of mma_m16n8k16 from a tile of 16 rows: lane l has the address of row l % 16, from
/// column 8 * (l / 16) on.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

/// @brief One matrix, transposed: ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16.
__device__ __forceinline__ void ldmatrix_x1_trans(unsigned (&r)[1], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(shared_address(row))
               : "memory");
}

/// @brief Two matrices, transposed: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16.
///
/// B's fragment of mma_m16n8k16 from a tile of 16 rows along k: lane l has the address of row l
/// % 16.
__device__ __forceinline__ void ldmatrix_x2_trans(unsigned (&r)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}

/// @brief Four matrices, transposed: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

}  // namespace tut::ptx
