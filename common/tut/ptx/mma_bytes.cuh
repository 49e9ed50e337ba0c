/// @file
/// mma.sync for numbers of one byte: INT8 with sums in INT32, FP8 with sums in FP32. What all
/// functions have in common is said in tut/ptx/mma.cuh: a lane is number 4 * g + t, and all 32 call
/// together. A register holds four bytes, the first in its lowest bits.
///
/// Source: PTX ISA, "Warp-level Matrix Instructions", "Matrix Fragments for mma.m8n8k16",
/// "... mma.m16n8k16 with integer type", "... mma.m16n8k32". INT8 needs sm_80, and sm_75 in 8 x 8 x
/// 16; FP8 needs sm_89.
#pragma once

namespace tut::ptx {

/// @brief 8 x 8 x 16, INT8: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32.
///
/// `a[0]` is A[g][4t] to A[g][4t + 3], `b[0]` is B[4t][g] to B[4t + 3][g]; `c[0]`, `c[1]` are
/// C[g][2t], C[g][2t + 1]; `d` likewise. Sums wrap.
__device__ __forceinline__ void mma_m8n8k16_s32_s8(int (&d)[2], const unsigned (&a)[1],
                                                   const unsigned (&b)[1], const int (&c)[2]) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
}

/// @brief 16 x 8 x 16, INT8: mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32.
///
/// `a[0]` is A[g][4t] to A[g][4t + 3], `a[1]` the same 8 rows below; `b[0]` is B[4t][g] to
/// B[4t + 3][g]; `c[0]`, `c[1]` are C[g][2t], C[g][2t + 1], `c[2]`, `c[3]` the same 8 rows below;
/// `d` likewise. Sums wrap.
__device__ __forceinline__ void mma_m16n8k16_s32_s8(int (&d)[4], const unsigned (&a)[2],
                                                    const unsigned (&b)[1], const int (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
}

/// @brief 16 x 8 x 32, INT8: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32.
///
/// `a[0]` is A[g][4t] to A[g][4t + 3], `a[1]` the same 8 rows below, `a[2]` 16 columns to the
/// right, `a[3]` both; `b[0]` is B[4t][g] to B[4t + 3][g], `b[1]` the same 16 rows below; C and D
/// as in mma_m16n8k16_s32_s8. Sums wrap.
__device__ __forceinline__ void mma_m16n8k32_s32_s8(int (&d)[4], const unsigned (&a)[4],
                                                    const unsigned (&b)[2], const int (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]),
        "r"(c[2]), "r"(c[3]));
}

/// @brief The same, but sums stop at the ends of INT32's range:
/// mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32.
__device__ __forceinline__ void mma_m16n8k32_s32_s8_satfinite(int (&d)[4], const unsigned (&a)[4],
                                                              const unsigned (&b)[2],
                                                              const int (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]),
        "r"(c[2]), "r"(c[3]));
}

/// @brief 16 x 8 x 32, FP8 E4M3: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32.
///
/// A and B as in mma_m16n8k32_s32_s8, C and D as there in FP32.
__device__ __forceinline__ void mma_m16n8k32_f32_e4m3(float (&d)[4], const unsigned (&a)[4],
                                                      const unsigned (&b)[2], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}

/// @brief 16 x 8 x 32, FP8 E5M2: mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32.
///
/// Fragments as in mma_m16n8k32_f32_e4m3.
__device__ __forceinline__ void mma_m16n8k32_f32_e5m2(float (&d)[4], const unsigned (&a)[4],
                                                      const unsigned (&b)[2], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}

}  // namespace tut::ptx
