/// \file
/// wgmma: products of a warpgroup, 128 threads, on matrices in shared memory. One function for each
/// line of PTX; and setmaxnreg, by which warpgroups hand each other registers.
///
/// All functions of wgmma: D (64, N) += A (64, K) B (K, N). D is in registers: thread t has in d[i]
/// the element of row_of_sum(t, i) and col_of_sum(t, i). A and B are in shared memory, as their
/// descriptors say (ptx::matrix_descriptor): A's rows and B's columns run along k, unless B is
/// transposed. Without `add` D is set. The product is asynchronous: between ptx::wgmma_fence and
/// ptx::wgmma_wait_group nobody touches d.
///
/// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions",
/// "setmaxnreg". Needs sm_90a.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tut/device/backend.hpp"

namespace tut::ch11 {

/// Whether this pass of the compiler has wgmma and setmaxnreg: for sm_90a only. A kernel's body
/// stands under `if constexpr (has_wgmma<T>)`, and the launcher refuses other devices.
template <class T>
inline constexpr bool has_wgmma =
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
    on_cpu_backend;
#else
    true;
#endif

/// Rows of D, and k's of a product of 16-bit elements.
inline constexpr int WGMMA_M = 64, WGMMA_K = 16;

/// Threads of a warpgroup.
inline constexpr int WARPGROUP = 128;

// The first 64 operands of an instruction, and sums i to i + 63 of a thread as such.
#define TUT_WGMMA_0_TO_63                                                            \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"            \
  " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31," \
  " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47," \
  " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TUT_WGMMA_8_SUMS(d, i)                                                                \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define TUT_WGMMA_SUMS(d, i)                                                                 \
  TUT_WGMMA_8_SUMS(d, i), TUT_WGMMA_8_SUMS(d, i + 8), TUT_WGMMA_8_SUMS(d, i + 16),           \
      TUT_WGMMA_8_SUMS(d, i + 24), TUT_WGMMA_8_SUMS(d, i + 32), TUT_WGMMA_8_SUMS(d, i + 40), \
      TUT_WGMMA_8_SUMS(d, i + 48), TUT_WGMMA_8_SUMS(d, i + 56)

//! [wgmma]
/// 64 x 128 x 16 in bfloat16: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16. With
/// TRANSPOSE_B = 1 B's rows run along its columns in shared memory.
template <int TRANSPOSE_B = 0>
__device__ __forceinline__ void wgmma_m64n128k16_bf16(float (&d)[64], std::uint64_t a,
                                                      std::uint64_t b, bool add = true) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{" TUT_WGMMA_0_TO_63
      "},"
      " %64, %65, add, 1, 1, 0, %67;\n"
      "}"
      : TUT_WGMMA_SUMS(d, 0)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)), "n"(TRANSPOSE_B));
}
//! [wgmma]

/// The same in half: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16.
__device__ __forceinline__ void wgmma_m64n128k16_f16(float (&d)[64], std::uint64_t a,
                                                     std::uint64_t b, bool add = true) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{" TUT_WGMMA_0_TO_63
      "},"
      " %64, %65, add, 1, 1, 0, 0;\n"
      "}"
      : TUT_WGMMA_SUMS(d, 0)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

/// 64 x 256 x 16 in bfloat16: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16.
__device__ __forceinline__ void wgmma_m64n256k16_bf16(float (&d)[128], std::uint64_t a,
                                                      std::uint64_t b, bool add = true) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{" TUT_WGMMA_0_TO_63
      ","
      " %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,"
      " %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"
      " %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111,"
      " %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127},"
      " %128, %129, add, 1, 1, 0, 0;\n"
      "}"
      : TUT_WGMMA_SUMS(d, 0), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]),
        "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]),
        "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]),
        "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),
        "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]),
        "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]),
        "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]),
        "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]),
        "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]),
        "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]),
        "+f"(d[127])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

/// 64 x 128 x 32 in E4M3: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3.
__device__ __forceinline__ void wgmma_m64n128k32_e4m3(float (&d)[64], std::uint64_t a,
                                                      std::uint64_t b, bool add = true) {
  asm volatile(
      "{\n"
      ".reg .pred add;\n"
      "setp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{" TUT_WGMMA_0_TO_63
      "},"
      " %64, %65, add, 1, 1;\n"
      "}"
      : TUT_WGMMA_SUMS(d, 0)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

/// Gives registers back, so that a thread of the warpgroup has COUNT from now on:
/// setmaxnreg.dec.sync.aligned.u32.
template <int COUNT>
__device__ __forceinline__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/// Waits until there are registers enough for COUNT a thread, and takes them:
/// setmaxnreg.inc.sync.aligned.u32.
template <int COUNT>
__device__ __forceinline__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

#undef TUT_WGMMA_SUMS
#undef TUT_WGMMA_8_SUMS
#undef TUT_WGMMA_0_TO_63

}  // namespace tut::ch11
