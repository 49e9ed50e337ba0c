#include "handle.hpp"

namespace {

cublasStatus_t copy(int rows, int cols, int element, const void* from, int ld_from, void* to,
                    int ld_to, cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  using simt::cublas::fits;
  if (rows < 0 || cols < 0 || element <= 0 || !fits(ld_from, rows) || !fits(ld_to, rows)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (rows == 0 || cols == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = static_cast<std::size_t>(element);
  const auto pitch = [size](int n) { return size * static_cast<std::size_t>(n); };
  cudaError_t error = cudaMemcpy2DAsync(to, pitch(ld_to), from, pitch(ld_from), pitch(rows),
                                        static_cast<std::size_t>(cols), kind, stream);
  if (error == cudaSuccess && wait) error = cudaStreamSynchronize(stream);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

// A vector with a distance between elements is a matrix of one row.
cublasStatus_t copy_vector(int n, int element, const void* x, int incx, void* y, int incy,
                           cudaMemcpyKind kind, cudaStream_t stream, bool wait) {
  if (incx <= 0 || incy <= 0 || n < 0) return CUBLAS_STATUS_INVALID_VALUE;
  return copy(1, n, element, x, incx, y, incy, kind, stream, wait);
}

}  // namespace

extern "C" {

cublasStatus_t cublasSetVector(int n, int element, const void* x, int incx, void* device,
                               int incy) {
  return copy_vector(n, element, x, incx, device, incy, cudaMemcpyHostToDevice, nullptr, true);
}

cublasStatus_t cublasGetVector(int n, int element, const void* device, int incx, void* y,
                               int incy) {
  return copy_vector(n, element, device, incx, y, incy, cudaMemcpyDeviceToHost, nullptr, true);
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int element, const void* a, int lda,
                               void* device, int ldb) {
  return copy(rows, cols, element, a, lda, device, ldb, cudaMemcpyHostToDevice, nullptr, true);
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int element, const void* device, int lda,
                               void* b, int ldb) {
  return copy(rows, cols, element, device, lda, b, ldb, cudaMemcpyDeviceToHost, nullptr, true);
}

cublasStatus_t cublasSetVectorAsync(int n, int element, const void* x, int incx, void* device,
                                    int incy, cudaStream_t stream) {
  return copy_vector(n, element, x, incx, device, incy, cudaMemcpyHostToDevice, stream, false);
}

cublasStatus_t cublasGetVectorAsync(int n, int element, const void* device, int incx, void* y,
                                    int incy, cudaStream_t stream) {
  return copy_vector(n, element, device, incx, y, incy, cudaMemcpyDeviceToHost, stream, false);
}

cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int element, const void* a, int lda,
                                    void* device, int ldb, cudaStream_t stream) {
  return copy(rows, cols, element, a, lda, device, ldb, cudaMemcpyHostToDevice, stream, false);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int element, const void* device, int lda,
                                    void* b, int ldb, cudaStream_t stream) {
  return copy(rows, cols, element, device, lda, b, ldb, cudaMemcpyDeviceToHost, stream, false);
}

}  // extern "C"
