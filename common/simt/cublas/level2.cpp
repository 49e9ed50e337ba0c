#include <Eigen/Core>
#include <cstddef>

#include "handle.hpp"

namespace {

using simt::KernelInfo;
using simt::cublas::fits;
using simt::cublas::is_operation;
using simt::cublas::run;
using simt::cublas::Scalar;

KernelInfo kernel{"cublas_level2", "cublas", 0, 0};

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

// A vector's elements in order; a negative distance counts from the end, as in BLAS.
template <class T>
Eigen::Map<const Vector<T>, 0, Eigen::InnerStride<>> view(const T* x, int n, int increment) {
  const T* first = increment < 0 ? x + std::ptrdiff_t{1 - n} * increment : x;
  return {first, n, Eigen::InnerStride<>(increment)};
}
template <class T>
Eigen::Map<Vector<T>, 0, Eigen::InnerStride<>> view(T* x, int n, int increment) {
  T* first = increment < 0 ? x + std::ptrdiff_t{1 - n} * increment : x;
  return {first, n, Eigen::InnerStride<>(increment)};
}

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,
                    const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(trans) || m < 0 || n < 0 || !fits(lda, m) || incx == 0 || incy == 0 ||
      alpha == nullptr || beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> alpha_value(*handle, alpha), beta_value(*handle, beta);
  const auto uses = [=](simt::MemoryUses& all) {
    alpha_value.tell(all);
    beta_value.tell(all);
    const bool turned = trans != CUBLAS_OP_N;
    if (alpha_value.get() != T{}) {
      all.read_rows(a, m, n, lda);
      all.read_rows(x, 1, turned ? m : n, incx);
    }
    if (beta_value.get() != T{}) all.read_rows(y, 1, turned ? n : m, incy);
    all.write_rows(y, 1, turned ? n : m, incy);
  };
  return run(*handle, kernel, 1, uses, [=](unsigned) {
    const bool transposed = trans != CUBLAS_OP_N;
    auto out = view(y, transposed ? n : m, incy);
    const T scale = beta_value.get(), factor = alpha_value.get();
    if (scale == T{}) {
      out.setZero();
    } else {
      out *= scale;
    }
    if (factor == T{}) return;
    const Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>> matrix(a, m, n,
                                                                      Eigen::OuterStride<>(lda));
    const Vector<T> in = view(x, transposed ? m : n, incx);
    if (transposed) {
      out += factor * (matrix.transpose() * in);
    } else {
      out += factor * (matrix * in);
    }
  });
}

template <class T>
cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx,
                   const T* y, int incy, T* a, int lda) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || incx == 0 || incy == 0 || !fits(lda, m) || alpha == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> alpha_value(*handle, alpha);
  const auto uses = [=](simt::MemoryUses& all) {
    alpha_value.tell(all);
    all.read_rows(x, 1, m, incx);
    all.read_rows(y, 1, n, incy);
    all.read_rows(a, m, n, lda);
    all.write_rows(a, m, n, lda);
  };
  return run(*handle, kernel, 1, uses, [=](unsigned) {
    Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>> out(a, m, n, Eigen::OuterStride<>(lda));
    const Vector<T> column = view(x, m, incx), row = view(y, n, incy);
    out.noalias() += alpha_value.get() * column * row.transpose();
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                           const float* alpha, const float* a, int lda, const float* x, int incx,
                           const float* beta, float* y, int incy) {
  return gemv(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float* alpha, const float* x,
                          int incx, const float* y, int incy, float* a, int lda) {
  return ger(handle, m, n, alpha, x, incx, y, incy, a, lda);
}

cublasStatus_t cublasDgemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
                           const double* alpha, const double* a, int lda, const double* x, int incx,
                           const double* beta, double* y, int incy) {
  return gemv(handle, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

cublasStatus_t cublasDger(cublasHandle_t handle, int m, int n, const double* alpha, const double* x,
                          int incx, const double* y, int incy, double* a, int lda) {
  return ger(handle, m, n, alpha, x, incx, y, incy, a, lda);
}

}  // extern "C"
