#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "handle.hpp"

namespace {

using simt::KernelInfo;
using simt::MemoryUses;
using simt::cublas::run;
using simt::cublas::Scalar;

KernelInfo kernel{"cublas_level1", "cublas", 0, 0};

// Elements a distance apart; a negative distance counts from the end, as in BLAS.
template <class T>
struct Strided {
  T* first;
  std::ptrdiff_t step;

  Strided(T* x, int n, int increment)
      : first(increment < 0 ? x + std::ptrdiff_t{1 - n} * increment : x), step(increment) {}
  T& operator[](int i) const { return first[i * step]; }
};

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,
                    int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> scale(*handle, alpha);
  const auto uses = [=](MemoryUses& all) {
    scale.tell(all);
    all.read_rows(x, 1, n, incx);
    all.read_rows(y, 1, n, incy);
    all.write_rows(y, 1, n, incy);
  };
  return run(*handle, kernel, 1, uses, [=](unsigned) {
    const Strided<const T> from(x, n, incx);
    const Strided<T> to(y, n, incy);
    const T a = scale.get();
    for (int i = 0; i < n; ++i) to[i] += a * from[i];
  });
}

template <class T>
cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const auto uses = [=](MemoryUses& all) {
    all.read_rows(x, 1, n, incx);
    all.write_rows(y, 1, n, incy);
  };
  return run(*handle, kernel, 1, uses, [=](unsigned) {
    const Strided<const T> from(x, n, incx);
    const Strided<T> to(y, n, incy);
    for (int i = 0; i < n; ++i) to[i] = from[i];
  });
}

template <class T>
cublasStatus_t swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  const auto uses = [=](MemoryUses& all) {
    all.read_rows(x, 1, n, incx);
    all.read_rows(y, 1, n, incy);
    all.write_rows(x, 1, n, incx);
    all.write_rows(y, 1, n, incy);
  };
  return run(*handle, kernel, 1, uses, [=](unsigned) {
    const Strided<T> a(x, n, incx), b(y, n, incy);
    for (int i = 0; i < n; ++i) std::swap(a[i], b[i]);
  });
}

template <class T>
cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> scale(*handle, alpha);
  const auto uses = [=](MemoryUses& all) {
    scale.tell(all);
    all.read_rows(x, 1, n, incx);
    all.write_rows(x, 1, n, incx);
  };
  return run(*handle, kernel, 1, uses, [=](unsigned) {
    const T a = scale.get();
    for (int i = 0; i < n; ++i) x[std::ptrdiff_t{i} * incx] *= a;
  });
}

template <class T>
struct Vector {
  const T* x;
  int increment;
};

// Calls that leave one number: *result = compute() on the stream, from vectors of n elements. A
// call that leaves it with the host has ended when it returns.
template <class R, class Compute, class... T>
cublasStatus_t reduce(cublasHandle_t handle, R* result, Compute compute, int n, Vector<T>... from) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const bool on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const auto uses = [=](MemoryUses& all) {
    (all.read_rows(from.x, 1, n, from.increment), ...);
    if (on_device) all.write(result, 1);
  };
  const cublasStatus_t status =
      run(*handle, kernel, 1, uses, [=](unsigned) { *result = compute(); });
  auto capturing = cudaStreamCaptureStatusNone;
  if (on_device || cudaStreamIsCapturing(handle->stream, &capturing) != cudaSuccess ||
      capturing != cudaStreamCaptureStatusNone) {
    return status;
  }
  cudaStreamSynchronize(handle->stream);
  return status;
}

// In short runs whose sums are added in higher precision: the rounding error stays small however
// long the vector is.
template <class T, class Term>
T long_sum(int n, const Term& term) {
  std::conditional_t<std::is_same_v<T, float>, double, long double> total = 0;
  constexpr int kRun = 128;
  for (int begin = 0; begin < n; begin += kRun) {
    const int end = n - begin < kRun ? n : begin + kRun;
    T sum{};
    for (int i = begin; i < end; ++i) sum += term(i);
    total += sum;
  }
  return static_cast<T>(total);
}

template <class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,
                   T* result) {
  const auto compute = [=] {
    const Strided<const T> a(x, n, incx), b(y, n, incy);
    return n <= 0 ? T{} : long_sum<T>(n, [&](int i) { return a[i] * b[i]; });
  };
  return reduce(handle, result, compute, n, Vector<T>{x, incx}, Vector<T>{y, incy});
}

template <class T>
cublasStatus_t nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result) {
  const auto compute = [=] {
    if (n <= 0 || incx <= 0) return T{};
    // Scaled by the largest element: no square over- or underflows.
    T largest{};
    for (int i = 0; i < n; ++i) {
      const T magnitude = std::fabs(x[std::ptrdiff_t{i} * incx]);
      if (!(magnitude <= largest)) largest = magnitude;
    }
    if (!(largest > T{}) || std::isinf(largest)) return largest;
    const auto square = [&](int i) {
      const T ratio = x[std::ptrdiff_t{i} * incx] / largest;
      return ratio * ratio;
    };
    return largest * std::sqrt(long_sum<T>(n, square));
  };
  return reduce(handle, result, compute, incx > 0 ? n : 0, Vector<T>{x, incx});
}

template <class T>
cublasStatus_t asum(cublasHandle_t handle, int n, const T* x, int incx, T* result) {
  const auto compute = [=] {
    if (n <= 0 || incx <= 0) return T{};
    return long_sum<T>(n, [&](int i) { return std::fabs(x[std::ptrdiff_t{i} * incx]); });
  };
  return reduce(handle, result, compute, incx > 0 ? n : 0, Vector<T>{x, incx});
}

// The first index, counted from 1, whose magnitude no other one beats.
template <bool kMin, class T>
cublasStatus_t extreme_index(cublasHandle_t handle, int n, const T* x, int incx, int* result) {
  const auto compute = [=] {
    if (n <= 0 || incx <= 0) return 0;
    int best = 0;
    for (int i = 1; i < n; ++i) {
      const T magnitude = std::fabs(x[std::ptrdiff_t{i} * incx]);
      const T so_far = std::fabs(x[std::ptrdiff_t{best} * incx]);
      if (kMin ? magnitude < so_far : magnitude > so_far) best = i;
    }
    return best + 1;
  };
  return reduce(handle, result, compute, incx > 0 ? n : 0, Vector<T>{x, incx});
}

}  // namespace

extern "C" {

cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float* alpha, const float* x,
                           int incx, float* y, int incy) {
  return axpy(handle, n, alpha, x, incx, y, incy);
}

cublasStatus_t cublasScopy(cublasHandle_t handle, int n, const float* x, int incx, float* y,
                           int incy) {
  return copy(handle, n, x, incx, y, incy);
}

cublasStatus_t cublasSswap(cublasHandle_t handle, int n, float* x, int incx, float* y, int incy) {
  return ::swap(handle, n, x, incx, y, incy);
}

cublasStatus_t cublasSscal(cublasHandle_t handle, int n, const float* alpha, float* x, int incx) {
  return scal(handle, n, alpha, x, incx);
}

cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float* x, int incx, const float* y,
                          int incy, float* result) {
  return dot(handle, n, x, incx, y, incy, result);
}

cublasStatus_t cublasSnrm2(cublasHandle_t handle, int n, const float* x, int incx, float* result) {
  return nrm2(handle, n, x, incx, result);
}

cublasStatus_t cublasSasum(cublasHandle_t handle, int n, const float* x, int incx, float* result) {
  return asum(handle, n, x, incx, result);
}

cublasStatus_t cublasIsamax(cublasHandle_t handle, int n, const float* x, int incx, int* result) {
  return extreme_index<false>(handle, n, x, incx, result);
}

cublasStatus_t cublasIsamin(cublasHandle_t handle, int n, const float* x, int incx, int* result) {
  return extreme_index<true>(handle, n, x, incx, result);
}

cublasStatus_t cublasDaxpy(cublasHandle_t handle, int n, const double* alpha, const double* x,
                           int incx, double* y, int incy) {
  return axpy(handle, n, alpha, x, incx, y, incy);
}

cublasStatus_t cublasDcopy(cublasHandle_t handle, int n, const double* x, int incx, double* y,
                           int incy) {
  return copy(handle, n, x, incx, y, incy);
}

cublasStatus_t cublasDswap(cublasHandle_t handle, int n, double* x, int incx, double* y, int incy) {
  return ::swap(handle, n, x, incx, y, incy);
}

cublasStatus_t cublasDscal(cublasHandle_t handle, int n, const double* alpha, double* x, int incx) {
  return scal(handle, n, alpha, x, incx);
}

cublasStatus_t cublasDdot(cublasHandle_t handle, int n, const double* x, int incx, const double* y,
                          int incy, double* result) {
  return dot(handle, n, x, incx, y, incy, result);
}

cublasStatus_t cublasDnrm2(cublasHandle_t handle, int n, const double* x, int incx,
                           double* result) {
  return nrm2(handle, n, x, incx, result);
}

cublasStatus_t cublasDasum(cublasHandle_t handle, int n, const double* x, int incx,
                           double* result) {
  return asum(handle, n, x, incx, result);
}

cublasStatus_t cublasIdamax(cublasHandle_t handle, int n, const double* x, int incx, int* result) {
  return extreme_index<false>(handle, n, x, incx, result);
}

cublasStatus_t cublasIdamin(cublasHandle_t handle, int n, const double* x, int incx, int* result) {
  return extreme_index<true>(handle, n, x, incx, result);
}

}  // extern "C"
