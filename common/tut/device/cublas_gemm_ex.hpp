#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "tut/device/cublas.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut {

/// C = AB by cublasGemmEx on tensor cores: factors in half or bfloat16, sums and C in FP32. The
/// rival of the course's own products in mixed precision, with their signature.
///
/// \param a       (M, K), row-major, device memory, stride >= K
/// \param b       (K, N), row-major, device memory, stride >= N
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten
/// \param stream  stream that the work is ordered in
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CublasError` for cuBLAS's
/// errors.
///
/// **Source**: cuBLAS documentation, "Data Layout" and cublasGemmEx(). Column-major: CT = BT AT.
template <class T>
void cublas_gemm_ex(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
                    cudaStream_t stream = nullptr) {
  static_assert(std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>);
  constexpr cudaDataType_t TYPE = std::is_same_v<T, __half> ? CUDA_R_16F : CUDA_R_16BF;
  require_matmul_shapes(a, b, c);
  static thread_local CublasHandle handle;
  handle.set_stream(stream);
  const float one = 1.0f, zero = 0.0f;
  check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols, c.rows, a.cols, &one, b.data, TYPE,
                     static_cast<int>(b.stride), a.data, TYPE, static_cast<int>(a.stride), &zero,
                     c.data, CUDA_R_32F, static_cast<int>(c.stride), CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT));
}

}  // namespace tut
