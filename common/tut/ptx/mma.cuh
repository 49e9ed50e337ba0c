/// @file
/// mma.sync for half precision, bfloat16 and TF32: a warp computes D = A * B + C, each lane with
/// fragments of the four matrices in its registers. One function for each line of PTX.
///
/// All 32 lanes call a function together. In what follows a lane is number 4 * g + t, with g from 0
/// to 7 and t from 0 to 3; A[row][column]. A register of two halves has the one that is named first
/// in its lower half. `d` and `c` may be the same array.
///
/// Source: PTX ISA, "Warp-level Matrix Instructions", "Matrix Fragments for mma.m16n8k8" and
/// "... mma.m16n8k16 with floating point type". Needs sm_80; m16n8k8 of half precision sm_75.
#pragma once

namespace tut::ptx {

/// @brief 16 x 8 x 16, FP16 with sums in FP32: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.
///
/// - `a[0]` is A[g][2t], A[g][2t + 1]; `a[1]` the same 8 rows below, `a[2]` 8 columns to the right,
///   `a[3]` both.
/// - `b[0]` is B[2t][g], B[2t + 1][g]; `b[1]` the same 8 rows below.
/// - `c[0]`, `c[1]` are C[g][2t], C[g][2t + 1]; `c[2]`, `c[3]` the same 8 rows below; `d` likewise.
__device__ __forceinline__ void mma_m16n8k16_f32_f16(float (&d)[4], const unsigned (&a)[4],
                                                     const unsigned (&b)[2], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}

/// @brief 16 x 8 x 16, FP16 with sums in FP16: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16.
///
/// A and B as in mma_m16n8k16_f32_f16. `c[0]` is C[g][2t], C[g][2t + 1] in one register, `c[1]` the
/// same 8 rows below; `d` likewise.
__device__ __forceinline__ void mma_m16n8k16_f16_f16(unsigned (&d)[2], const unsigned (&a)[4],
                                                     const unsigned (&b)[2],
                                                     const unsigned (&c)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
}

/// @brief 16 x 8 x 8, FP16 with sums in FP32: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32.
///
/// The left half of mma_m16n8k16_f32_f16's A and the upper half of its B: `a[0]` is A[g][2t],
/// A[g][2t + 1], `a[1]` the same 8 rows below; `b[0]` is B[2t][g], B[2t + 1][g]. C and D are the
/// same.
__device__ __forceinline__ void mma_m16n8k8_f32_f16(float (&d)[4], const unsigned (&a)[2],
                                                    const unsigned (&b)[1], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

/// @brief 16 x 8 x 8, FP16 with sums in FP16: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16.
///
/// A and B as in mma_m16n8k8_f32_f16, C and D as in mma_m16n8k16_f16_f16.
__device__ __forceinline__ void mma_m16n8k8_f16_f16(unsigned (&d)[2], const unsigned (&a)[2],
                                                    const unsigned (&b)[1],
                                                    const unsigned (&c)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
}

/// @brief 16 x 8 x 16, BF16 with sums in FP32: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32.
///
/// Fragments as in mma_m16n8k16_f32_f16.
__device__ __forceinline__ void mma_m16n8k16_f32_bf16(float (&d)[4], const unsigned (&a)[4],
                                                      const unsigned (&b)[2], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}

/// @brief 16 x 8 x 8, BF16 with sums in FP32: mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32.
///
/// Fragments as in mma_m16n8k8_f32_f16.
__device__ __forceinline__ void mma_m16n8k8_f32_bf16(float (&d)[4], const unsigned (&a)[2],
                                                     const unsigned (&b)[1], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

/// @brief 16 x 8 x 8, TF32 with sums in FP32: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32.
///
/// A register holds one number in FP32, of which the last 13 bits are not looked at.
/// - `a[0]` is A[g][t], `a[1]` 8 rows below, `a[2]` 4 columns to the right, `a[3]` both.
/// - `b[0]` is B[t][g], `b[1]` 4 rows below.
/// - C and D as in mma_m16n8k16_f32_f16.
__device__ __forceinline__ void mma_m16n8k8_f32_tf32(float (&d)[4], const unsigned (&a)[4],
                                                     const unsigned (&b)[2], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}

/// @brief 16 x 8 x 4, TF32 with sums in FP32: mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32.
///
/// `a[0]` is A[g][t], `a[1]` 8 rows below; `b[0]` is B[t][g]; C and D as in mma_m16n8k16_f32_f16.
__device__ __forceinline__ void mma_m16n8k4_f32_tf32(float (&d)[4], const unsigned (&a)[2],
                                                     const unsigned (&b)[1], const float (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

}  // namespace tut::ptx
