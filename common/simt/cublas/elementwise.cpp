#include <cstddef>

#include "handle.hpp"

namespace {

using simt::KernelInfo;
using simt::cublas::fits;
using simt::cublas::is_operation;
using simt::cublas::run;
using simt::cublas::Scalar;

KernelInfo kernel{"cublas_elementwise", "cublas", 0, 0};

template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int m, int n, const T* alpha, const T* a, int lda, const T* beta, const T* b,
                    int ldb, T* c, int ldc) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool a_turned = transa != CUBLAS_OP_N, b_turned = transb != CUBLAS_OP_N;
  if (!is_operation(transa) || !is_operation(transb) || m < 0 || n < 0 || alpha == nullptr ||
      beta == nullptr || !fits(lda, a_turned ? n : m) || !fits(ldb, b_turned ? n : m) ||
      !fits(ldc, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  // In place only where each element of C depends on the one it replaces.
  if ((c == a && (a_turned || lda != ldc)) || (c == b && (b_turned || ldb != ldc))) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> alpha_value(*handle, alpha), beta_value(*handle, beta);
  const auto uses = [=](simt::MemoryUses& all) {
    alpha_value.tell(all);
    beta_value.tell(all);
    if (alpha_value.get() != T{}) all.read_rows(a, a_turned ? n : m, a_turned ? m : n, lda);
    if (beta_value.get() != T{}) all.read_rows(b, b_turned ? n : m, b_turned ? m : n, ldb);
    all.write_rows(c, m, n, ldc);
  };
  return run(*handle, kernel, static_cast<unsigned>(n), uses, [=](unsigned piece) {
    const std::ptrdiff_t j = piece, a_ld = lda, b_ld = ldb, c_ld = ldc;
    const T p = alpha_value.get(), q = beta_value.get();
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      T value{};
      if (p != T{}) value += p * (a_turned ? a[j + i * a_ld] : a[i + j * a_ld]);
      if (q != T{}) value += q * (b_turned ? b[j + i * b_ld] : b[i + j * b_ld]);
      c[i + j * c_ld] = value;
    }
  });
}

template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* a, int lda,
                    const T* x, int incx, T* c, int ldc) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if ((side != CUBLAS_SIDE_LEFT && side != CUBLAS_SIDE_RIGHT) || m < 0 || n < 0 || !fits(lda, m) ||
      !fits(ldc, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool left = side == CUBLAS_SIDE_LEFT;
  const std::ptrdiff_t step = incx;
  const T* first = step < 0 ? x + (1 - (left ? m : n)) * step : x;
  const auto uses = [=](simt::MemoryUses& all) {
    all.read_rows(a, m, n, lda);
    all.read_rows(x, 1, left ? m : n, step);
    all.write_rows(c, m, n, ldc);
  };
  return run(*handle, kernel, static_cast<unsigned>(n), uses, [=](unsigned piece) {
    const std::ptrdiff_t j = piece;
    for (std::ptrdiff_t i = 0; i < m; ++i) {
      c[i + j * ldc] = a[i + j * lda] * first[(left ? i : j) * step];
    }
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, const float* alpha,
                           const float* a, int lda, const float* beta, const float* b, int ldb,
                           float* c, int ldc) {
  return geam(handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}

cublasStatus_t cublasSdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
                           const float* a, int lda, const float* x, int incx, float* c, int ldc) {
  return dgmm(handle, mode, m, n, a, lda, x, incx, c, ldc);
}

cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, const double* alpha,
                           const double* a, int lda, const double* beta, const double* b, int ldb,
                           double* c, int ldc) {
  return geam(handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
}

cublasStatus_t cublasDdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
                           const double* a, int lda, const double* x, int incx, double* c,
                           int ldc) {
  return dgmm(handle, mode, m, n, a, lda, x, incx, c, ldc);
}

}  // extern "C"
