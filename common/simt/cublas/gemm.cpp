#include "gemm.hpp"

namespace {

using simt::KernelInfo;
using simt::cublas::check_gemm;
using simt::cublas::GemmMode;
using simt::cublas::GemmShape;
using simt::cublas::InputRounding;
using simt::cublas::PointerBatch;
using simt::cublas::run_gemm;
using simt::cublas::StridedBatch;

KernelInfo kernel{"cublas_gemm", "cublas", 0, 0};

template <class T>
struct Summed {
  using Type = T;
};
template <>
struct Summed<__half> {
  using Type = float;
};

// Sgemm takes TF32 where the handle says so; Hgemm sums in half.
template <class T>
GemmMode mode_of(const cublasContext& handle) {
  GemmMode mode;
  const bool tf32 = (handle.math_mode & 15) == CUBLAS_TF32_TENSOR_OP_MATH;
  if (std::is_same_v<T, float> && tf32) mode.rounding = InputRounding::kTf32;
  mode.half_accumulator = std::is_same_v<T, __half>;
  return mode;
}

struct Arguments {
  cublasHandle_t handle;
  cublasOperation_t transa, transb;
  int m, n, k, lda, ldb, ldc;

  cublasStatus_t check(const void* alpha, const void* beta) const {
    return check_gemm(handle, transa, transb, m, n, k, alpha, lda, ldb, beta, ldc);
  }
  GemmShape shape() const {
    return {transa != CUBLAS_OP_N, transb != CUBLAS_OP_N, m, n, k, lda, ldb, ldc};
  }
};

template <class T, template <class, class> class Batch>
cublasStatus_t gemm(const Arguments& args, const T* alpha, Batch<T, T> batch, const T* beta,
                    int count) {
  const cublasStatus_t status = args.check(alpha, beta);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  return run_gemm<typename Summed<T>::Type>(*args.handle, kernel, args.shape(), alpha, beta, batch,
                                            count, mode_of<T>(*args.handle));
}

}  // namespace

extern "C" {

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const float* alpha,
                           const float* a, int lda, const float* b, int ldb, const float* beta,
                           float* c, int ldc) {
  const StridedBatch<float, float> one{a, b, c, 0, 0, 0};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, one, beta, 1);
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k, const float* alpha,
                                  const float* const a[], int lda, const float* const b[], int ldb,
                                  const float* beta, float* const c[], int ldc, int count) {
  const PointerBatch<float, float> batch{a, b, c};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, batch, beta, count);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb,
                                         long long stride_b, const float* beta, float* c, int ldc,
                                         long long stride_c, int count) {
  const StridedBatch<float, float> batch{a, b, c, stride_a, stride_b, stride_c};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, batch, beta, count);
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const double* alpha,
                           const double* a, int lda, const double* b, int ldb, const double* beta,
                           double* c, int ldc) {
  const StridedBatch<double, double> one{a, b, c, 0, 0, 0};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, one, beta, 1);
}

cublasStatus_t cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const double* alpha, const double* const a[], int lda,
                                  const double* const b[], int ldb, const double* beta,
                                  double* const c[], int ldc, int count) {
  const PointerBatch<double, double> batch{a, b, c};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, batch, beta, count);
}

cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const double* alpha, const double* a, int lda,
                                         long long stride_a, const double* b, int ldb,
                                         long long stride_b, const double* beta, double* c, int ldc,
                                         long long stride_c, int count) {
  const StridedBatch<double, double> batch{a, b, c, stride_a, stride_b, stride_c};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, batch, beta, count);
}

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half* alpha,
                           const __half* a, int lda, const __half* b, int ldb, const __half* beta,
                           __half* c, int ldc) {
  const StridedBatch<__half, __half> one{a, b, c, 0, 0, 0};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, one, beta, 1);
}

cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const __half* alpha, const __half* const a[], int lda,
                                  const __half* const b[], int ldb, const __half* beta,
                                  __half* const c[], int ldc, int count) {
  const PointerBatch<__half, __half> batch{a, b, c};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, batch, beta, count);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int count) {
  const StridedBatch<__half, __half> batch{a, b, c, stride_a, stride_b, stride_c};
  return gemm({handle, transa, transb, m, n, k, lda, ldb, ldc}, alpha, batch, beta, count);
}

}  // extern "C"
