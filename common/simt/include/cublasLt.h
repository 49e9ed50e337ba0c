/// @file
/// cuBLASLt's handle, for programs that make one and multiply with cuBLAS.
#ifndef CUBLASLT_H_
#define CUBLASLT_H_

#include "cublas_api.h"

struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;

/// The handle holds nothing.
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = reinterpret_cast<cublasLtHandle_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<char*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

template <class... Args>
[[gnu::error("cublasLtMatmul is not supported on the CPU backend")]] cublasStatus_t cublasLtMatmul(
    const Args&...);

#endif
