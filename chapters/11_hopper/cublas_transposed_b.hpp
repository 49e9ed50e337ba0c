/// \file
/// C = ABᵀ by cuBLAS: what this chapter's products are measured against.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/device/cublas.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = ABᵀ by cublasGemmEx on tensor cores: factors and C in bfloat16, sums in FP32.
///
/// \param a       (M, K), row-major, device memory, stride >= K
/// \param b       (N, K), row-major, device memory, stride >= K
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten
/// \param stream  stream that the work is ordered in
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CublasError` for cuBLAS's
/// errors.
///
/// **Source**: cuBLAS documentation, "Data Layout" and cublasGemmEx(). Column-major: Cᵀ = B Aᵀ.
inline void cublas_transposed_b(MatrixView<const __nv_bfloat16> a,
                                MatrixView<const __nv_bfloat16> b, MatrixView<__nv_bfloat16> c,
                                cudaStream_t stream = nullptr) {
  require_matmul_shapes(a, MatrixView<const __nv_bfloat16>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  static thread_local CublasHandle handle;
  handle.set_stream(stream);
  const float one = 1.0f, zero = 0.0f;
  check(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, c.cols, c.rows, a.cols, &one, b.data,
                     CUDA_R_16BF, static_cast<int>(b.stride), a.data, CUDA_R_16BF,
                     static_cast<int>(a.stride), &zero, c.data, CUDA_R_16BF,
                     static_cast<int>(c.stride), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

}  // namespace tut::ch11
