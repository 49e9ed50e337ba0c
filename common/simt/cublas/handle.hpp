/// @file
/// The state behind a cublasHandle_t and the way its work reaches a stream.
#pragma once

#include <new>

#include "cublas_api.h"
#include "cuda_runtime_api.h"
#include "simt/library.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  int sm_count_target = 0;
};

namespace simt::cublas {

/// A scalar argument: its value now (host pointer mode) or when the work runs (device).
template <class T>
class Scalar {
 public:
  Scalar(const cublasContext& handle, const T* p)
      : device_(handle.pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? p : nullptr),
        value_(device_ != nullptr ? T{} : *p) {}

  T get() const { return device_ != nullptr ? *device_ : value_; }

  void tell(MemoryUses& uses) const {
    if (device_ != nullptr) uses.read(device_, 1);
  }

 private:
  const T* device_;
  T value_;
};

/// Runs work on the handle's stream; see run_library().
template <class Uses, class Work>
cublasStatus_t run(const cublasContext& handle, KernelInfo& kernel, unsigned pieces, Uses uses,
                   Work work) {
  const bool ran = run_library(kernel, pieces, handle.stream, uses, work);
  return ran ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

inline bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

/// A leading dimension that `rows` rows fit in.
inline bool fits(int leading_dimension, int rows) {
  return leading_dimension >= (rows > 1 ? rows : 1);
}

}  // namespace simt::cublas
