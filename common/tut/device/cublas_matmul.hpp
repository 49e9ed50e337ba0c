#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "tut/device/cublas.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut {

/// C = AB by cublasSgemm, with the signature of the course's own products: the rival in every
/// table.
///
/// cuBLAS is column-major. A row-major matrix, read column by column, is its transpose, so this
/// asks for CT = BT AT. FP32 throughout: the handle keeps the default math mode, which leaves TF32
/// off.
///
/// \param a       (M, K), row-major, device memory, stride >= K
/// \param b       (K, N), row-major, device memory, stride >= N
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten
/// \param stream  stream that the work is ordered in
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CublasError` for cuBLAS's
/// errors.
///
/// **Source**: cuBLAS documentation, "Data Layout" and cublas<t>gemm().
inline void cublas_matmul(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                          cudaStream_t stream = nullptr) {
  require_matmul_shapes(a, b, c);
  static thread_local CublasHandle handle;
  handle.set_stream(stream);
  const float one = 1.0f, zero = 0.0f;
  check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols, c.rows, a.cols, &one, b.data,
                    static_cast<int>(b.stride), a.data, static_cast<int>(a.stride), &zero, c.data,
                    static_cast<int>(c.stride)));
}

}  // namespace tut
