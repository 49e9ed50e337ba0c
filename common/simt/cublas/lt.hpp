/// @file
/// What stands behind cuBLASLt's descriptors.
#pragma once

#include <cstdint>

#include "cublasLt.h"

struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  std::uint64_t rows, cols;
  std::int64_t ld;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  std::int32_t batch = 1;
  std::int64_t batch_stride = 0;
};

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType scale;
  cublasLtPointerMode_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  cublasOperation_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N;
  cublasFillMode_t fill = CUBLAS_FILL_MODE_FULL;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_ld = 0, aux_stride = 0;
  std::int32_t sm_count = 0;
  /// Of A, B, C and D, and where the largest of D goes: for FP8 only.
  void *a_scale = nullptr, *b_scale = nullptr, *c_scale = nullptr, *d_scale = nullptr,
       *d_largest = nullptr;
  std::int32_t aux_type = -1, bias_type = -1;  ///< -1: D's
  std::int8_t fast_accumulation = 0;
};

namespace simt::cublas {

using LtLayout = cublasLtMatrixLayoutOpaque_t;
using LtDesc = cublasLtMatmulDescOpaque_t;

/// One call with its checked arguments.
struct LtMatmul {
  LtDesc desc;
  LtLayout a, b, c, d;
};

/// CUBLAS_STATUS_SUCCESS, or what is wrong or not supported.
cublasStatus_t check(const LtMatmul& call);

cublasStatus_t run(const LtMatmul& call, const void* alpha, const void* a, const void* b,
                   const void* beta, const void* c, void* d, cudaStream_t stream);

}  // namespace simt::cublas
