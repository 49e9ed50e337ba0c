#pragma once

#include <cublas_v2.h>

#include <stdexcept>
#include <utility>

#include "tut/errors/message.hpp"
#include "tut/errors/source_location.hpp"

namespace tut {

/// A failed cuBLAS call: what() is "NAME: text (FILE:LINE)".
class CublasError : public std::runtime_error {
 public:
  CublasError(cublasStatus_t status, const SourceLocation& where)
      : std::runtime_error(
            text_of({cublasGetStatusName(status), ": ", cublasGetStatusString(status)}, where)),
        status_(status) {}

  cublasStatus_t status() const noexcept { return status_; }

 private:
  cublasStatus_t status_;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_cublas_error(cublasStatus_t status,
                                                                      const SourceLocation& where) {
  throw CublasError(status, where);
}

/// Throws CublasError unless `status` is CUBLAS_STATUS_SUCCESS.
inline void check(cublasStatus_t status, const SourceLocation& where = SourceLocation::current()) {
  if (status != CUBLAS_STATUS_SUCCESS) throw_cublas_error(status, where);
}

/// Owns a cuBLAS handle. Move-only. Throws CublasError where cuBLAS cannot start.
class CublasHandle {
 public:
  CublasHandle() { check(cublasCreate(&handle_)); }
  ~CublasHandle() {
    if (handle_ != nullptr) cublasDestroy(handle_);
  }
  CublasHandle(CublasHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CublasHandle& operator=(CublasHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  /// Later calls run on `stream`.
  void set_stream(cudaStream_t stream) { check(cublasSetStream(handle_, stream)); }

  cublasHandle_t get() const noexcept { return handle_; }
  operator cublasHandle_t() const noexcept { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace tut
