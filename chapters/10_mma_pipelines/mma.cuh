/// \file
/// What the kernels of chapter 10 share: one product of a warp on fragments in registers, and how
/// its sums are written.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "10_mma_pipelines/fragment_layout.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/ptx/mma.cuh"

namespace tut::ch10 {

/// Whether this pass of the compiler has mma.sync.m16n8k16 and cp.async: from compute capability
/// 8.0 on. A kernel's body stands under `if constexpr (has_mma<T>)`, and the launcher refuses.
template <class T>
inline constexpr bool has_mma =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    false;
#else
    true;
#endif

/// The least compute capability of this chapter's kernels.
inline constexpr int MMA_CAPABILITY = 80;

/// The number of the running thread in its warp.
__device__ inline int lane_of_thread() { return static_cast<int>(threadIdx.x) % 32; }

//! [multiply_add]
/// sum += A B for the 16 x 16 of A and the 16 x 8 of B whose fragments the lanes of a warp hold.
template <class T>
__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4],
                                             const unsigned (&b)[2]) {
  if constexpr (std::is_same_v<T, __half>) {
    ptx::mma_m16n8k16_f32_f16(sum, a, b, sum);
  } else {
    ptx::mma_m16n8k16_f32_bf16(sum, a, b, sum);
  }
}
//! [multiply_add]

/// Whether pairs of neighbouring floats that begin in an even column can be stored at once.
__host__ __device__ inline bool takes_pairs(const MatrixView<float>& c) {
  return reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0 && c.stride % 2 == 0;
}

//! [store_sum]
/// Writes the sums of one product, 16 x 8 of C at (row, col), what lies inside of C; by all lanes
/// of a warp. Four lanes write 8 neighbours of a row, a sector. `pairs`: takes_pairs(c).
__device__ inline void store_sum(MatrixView<float> c, int row, int col, bool pairs,
                                 const float (&sum)[4]) {
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const Place at = sum_place(lane_of_thread(), i);
    const int r = row + at.row, s = col + at.col;
    if (r >= c.rows || s >= c.cols) continue;
    if (pairs && s + 1 < c.cols) {
      *reinterpret_cast<float2*>(&c(r, s)) = make_float2(sum[i], sum[i + 1]);
    } else {
      c(r, s) = sum[i];
      if (s + 1 < c.cols) c(r, s + 1) = sum[i + 1];
    }
  }
}
//! [store_sum]

}  // namespace tut::ch10
