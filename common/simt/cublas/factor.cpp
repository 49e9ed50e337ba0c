#include <cmath>
#include <cstddef>
#include <utility>

#include "handle.hpp"

namespace {

using simt::KernelInfo;
using simt::cublas::fits;
using simt::cublas::run;

KernelInfo kernel{"cublas_getrf", "cublas", 0, 0};

/// P A = L U in place, column by column; the diagonal of L is 1 and is not kept. Without `pivots`
/// rows stay where they are. Gives the number of the first column whose pivot is 0, else 0.
template <class T>
int factor(T* a, int n, std::ptrdiff_t lda, int* pivots) {
  int info = 0;
  const auto at = [=](int row, int column) -> T& { return a[column * lda + row]; };
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int row = k + 1; pivots != nullptr && row < n; ++row) {
      if (std::abs(at(row, k)) > std::abs(at(pivot, k))) pivot = row;
    }
    if (pivots != nullptr) pivots[k] = pivot + 1;
    for (int column = 0; pivot != k && column < n; ++column) {
      std::swap(at(k, column), at(pivot, column));
    }
    if (at(k, k) == T{}) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int row = k + 1; row < n; ++row) at(row, k) /= at(k, k);
    for (int column = k + 1; column < n; ++column) {
      for (int row = k + 1; row < n; ++row) at(row, column) -= at(row, k) * at(k, column);
    }
  }
  return info;
}

template <class T>
cublasStatus_t factor_batch(cublasHandle_t handle, int n, T* const* a, int lda, int* pivots,
                            int* info, int count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n < 0 || count < 0 || !fits(lda, n)) return CUBLAS_STATUS_INVALID_VALUE;
  const auto uses = [=](simt::MemoryUses& all) {
    all.read(a, count);
    for (int i = 0; i < count; ++i) {
      all.read_rows(a[i], n, n, lda);
      all.write_rows(a[i], n, n, lda);
    }
    if (pivots != nullptr) all.write(pivots, std::ptrdiff_t{n} * count);
    all.write(info, count);
  };
  return run(*handle, kernel, static_cast<unsigned>(count), uses, [=](unsigned i) {
    int* const own = pivots == nullptr ? nullptr : pivots + static_cast<std::ptrdiff_t>(i) * n;
    info[i] = factor(a[i], n, lda, own);
  });
}

}  // namespace

cublasStatus_t cublasSgetrfBatched(cublasHandle_t handle, int n, float* const a[], int lda,
                                   int* pivots, int* info, int count) {
  return factor_batch(handle, n, a, lda, pivots, info, count);
}

cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n, double* const a[], int lda,
                                   int* pivots, int* info, int count) {
  return factor_batch(handle, n, a, lda, pivots, info, count);
}
