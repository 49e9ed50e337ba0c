/// @file
/// The state behind a cublasHandle_t and the way its work reaches a stream.
#pragma once

#include <new>

#include "cublas_api.h"
#include "cuda_runtime_api.h"
#include "simt/launch.hpp"

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

 private:
  const T* device_;
  T value_;
};

/// Runs work(i) for i in [0, pieces) on the handle's stream, as a kernel of that many blocks: in
/// stream order, on the backend's worker threads, with its handling of bad addresses.
template <class Work>
cublasStatus_t run(const cublasContext& handle, KernelInfo& kernel, unsigned pieces, Work work) {
  if (pieces == 0) return CUBLAS_STATUS_SUCCESS;
  configure(dim3(pieces), dim3(1), 0, handle.stream);
  Launch launch(kernel);
  if (!launch.ready()) return CUBLAS_STATUS_EXECUTION_FAILED;
  launch.run_loop<false>(
      [work](const uint3, const uint3 block, const dim3, const dim3) { work(block.x); });
  return CUBLAS_STATUS_SUCCESS;
}

inline bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

/// A leading dimension that `rows` rows fit in.
inline bool fits(int leading_dimension, int rows) {
  return leading_dimension >= (rows > 1 ? rows : 1);
}

}  // namespace simt::cublas
