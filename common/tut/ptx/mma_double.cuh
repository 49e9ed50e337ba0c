/// @file
/// mma.sync for double precision. What all functions have in common is said in tut/ptx/mma.cuh: a
/// lane is number 4 * g + t, and all 32 call together.
///
/// Source: PTX ISA, "Warp-level Matrix Instructions", "Matrix Fragments for mma.m8n8k4 with .f64
/// floating point type", "... mma.m16n8k4", "... mma.m16n8k8", "... mma.m16n8k16 with floating
/// point type". m8n8k4 needs sm_80, the others need sm_90.
#pragma once

namespace tut::ptx {

/// @brief 8 x 8 x 4: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.
///
/// `a[0]` is A[g][t], `b[0]` is B[t][g]; `c[0]`, `c[1]` are C[g][2t], C[g][2t + 1]; `d` likewise.
__device__ __forceinline__ void mma_m8n8k4_f64(double (&d)[2], const double (&a)[1],
                                               const double (&b)[1], const double (&c)[2]) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=d"(d[0]), "=d"(d[1])
               : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]));
}

/// @brief 16 x 8 x 4: mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64.
///
/// `a[0]` is A[g][t], `a[1]` 8 rows below; `b[0]` is B[t][g]; `c[0]`, `c[1]` are C[g][2t],
/// C[g][2t + 1], `c[2]`, `c[3]` the same 8 rows below; `d` likewise.
__device__ __forceinline__ void mma_m16n8k4_f64(double (&d)[4], const double (&a)[2],
                                                const double (&b)[1], const double (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(b[0]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
}

/// @brief 16 x 8 x 8: mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.
///
/// `a[0]` is A[g][t], `a[1]` 8 rows below, `a[2]` 4 columns to the right, `a[3]` both; `b[0]` is
/// B[t][g], `b[1]` 4 rows below; C and D as in mma_m16n8k4_f64.
__device__ __forceinline__ void mma_m16n8k8_f64(double (&d)[4], const double (&a)[4],
                                                const double (&b)[2], const double (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]), "d"(c[0]), "d"(c[1]),
        "d"(c[2]), "d"(c[3]));
}

/// @brief 16 x 8 x 16: mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64.
///
/// `a[2 * i]` is A[g][t + 4i], `a[2 * i + 1]` 8 rows below; `b[i]` is B[t + 4i][g]; C and D as in
/// mma_m16n8k4_f64.
__device__ __forceinline__ void mma_m16n8k16_f64(double (&d)[4], const double (&a)[8],
                                                 const double (&b)[4], const double (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};"
      : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]), "d"(c[0]), "d"(c[1]), "d"(c[2]), "d"(c[3]));
}

}  // namespace tut::ptx
