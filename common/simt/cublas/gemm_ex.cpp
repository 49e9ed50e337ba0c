#include <cstdint>

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

KernelInfo kernel{"cublas_gemm_ex", "cublas", 0, 0};

// The matrices of a call, before their types are known.
struct UntypedStrided {
  const void *a, *b;
  void* c;
  long long stride_a, stride_b, stride_c;

  template <class In, class Out>
  StridedBatch<In, Out> typed() const {
    return {static_cast<const In*>(a),
            static_cast<const In*>(b),
            static_cast<Out*>(c),
            stride_a,
            stride_b,
            stride_c};
  }
};

struct UntypedPointers {
  const void *const *a, *const *b;
  void* const* c;

  template <class In, class Out>
  PointerBatch<In, Out> typed() const {
    return {reinterpret_cast<const In* const*>(a), reinterpret_cast<const In* const*>(b),
            reinterpret_cast<Out* const*>(c)};
  }
};

template <class Untyped>
struct GemmEx {
  cublasContext& handle;
  GemmShape shape;
  const void *alpha, *beta;
  Untyped batch;
  int count;
  cudaDataType in, out;

  template <class Acc, class In, class Out, class ScalarT = Acc>
  cublasStatus_t as(GemmMode mode = {}) const {
    return run_gemm<Acc>(handle, kernel, shape, static_cast<const ScalarT*>(alpha),
                         static_cast<const ScalarT*>(beta), batch.template typed<In, Out>(), count,
                         mode);
  }

  // Source: cuBLAS documentation, the table of types under cublasGemmEx.
  cublasStatus_t single(InputRounding rounding) const {
    if (in == CUDA_R_32F && out == CUDA_R_32F) return as<float, float, float>({rounding, false});
    if (rounding != InputRounding::kNone) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (in == CUDA_R_16F && out == CUDA_R_16F) return as<float, __half, __half>();
    if (in == CUDA_R_16F && out == CUDA_R_32F) return as<float, __half, float>();
    if (in == CUDA_R_16BF && out == CUDA_R_16BF) return as<float, __nv_bfloat16, __nv_bfloat16>();
    if (in == CUDA_R_16BF && out == CUDA_R_32F) return as<float, __nv_bfloat16, float>();
    if (in == CUDA_R_8I && out == CUDA_R_32F) return as<float, std::int8_t, float>();
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }

  // 8-bit integers are read four at a time: leading dimensions are multiples of 4.
  cublasStatus_t integer() const {
    if (in != CUDA_R_8I || out != CUDA_R_32I) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (shape.lda % 4 != 0 || shape.ldb % 4 != 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    return as<std::int32_t, std::int8_t, std::int32_t>();
  }

  cublasStatus_t compute(cublasComputeType_t type) const {
    switch (type) {
      case CUBLAS_COMPUTE_16F:
      case CUBLAS_COMPUTE_16F_PEDANTIC:
        if (in != CUDA_R_16F || out != CUDA_R_16F) return CUBLAS_STATUS_NOT_SUPPORTED;
        return as<float, __half, __half, __half>({InputRounding::kNone, true});
      case CUBLAS_COMPUTE_32F: {
        const bool tf32 = (handle.math_mode & 15) == CUBLAS_TF32_TENSOR_OP_MATH;
        const bool is_single = in == CUDA_R_32F && out == CUDA_R_32F;
        return single(tf32 && is_single ? InputRounding::kTf32 : InputRounding::kNone);
      }
      case CUBLAS_COMPUTE_32F_PEDANTIC:
        return single(InputRounding::kNone);
      case CUBLAS_COMPUTE_32F_FAST_TF32:
        return single(InputRounding::kTf32);
      case CUBLAS_COMPUTE_32F_FAST_16F:
        return single(InputRounding::kHalf);
      case CUBLAS_COMPUTE_32F_FAST_16BF:
        return single(InputRounding::kBfloat16);
      case CUBLAS_COMPUTE_64F:
      case CUBLAS_COMPUTE_64F_PEDANTIC:
        if (in != CUDA_R_64F || out != CUDA_R_64F) return CUBLAS_STATUS_NOT_SUPPORTED;
        return as<double, double, double>();
      case CUBLAS_COMPUTE_32I:
      case CUBLAS_COMPUTE_32I_PEDANTIC:
        return integer();
    }
    return CUBLAS_STATUS_INVALID_VALUE;
  }
};

struct Arguments {
  cublasHandle_t handle;
  cublasOperation_t transa, transb;
  int m, n, k;
  const void* alpha;
  cudaDataType a_type;
  int lda;
  cudaDataType b_type;
  int ldb;
  const void* beta;
  cudaDataType c_type;
  int ldc;
  int count;
  cublasComputeType_t compute;
};

template <class Untyped>
cublasStatus_t gemm_ex(const Arguments& x, const Untyped& batch) {
  const cublasStatus_t status =
      check_gemm(x.handle, x.transa, x.transb, x.m, x.n, x.k, x.alpha, x.lda, x.ldb, x.beta, x.ldc);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (x.count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (x.a_type != x.b_type) return CUBLAS_STATUS_NOT_SUPPORTED;
  const GemmShape shape{
      x.transa != CUBLAS_OP_N, x.transb != CUBLAS_OP_N, x.m, x.n, x.k, x.lda, x.ldb, x.ldc};
  const GemmEx<Untyped> call{*x.handle, shape, x.alpha, x.beta, batch, x.count, x.a_type, x.c_type};
  return call.compute(x.compute);
}

}  // namespace

extern "C" {

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t) {
  const UntypedStrided one{a, b, c, 0, 0, 0};
  return gemm_ex({handle, transa, transb, m, n, k, alpha, a_type, lda, b_type, ldb, beta, c_type,
                  ldc, 1, compute},
                 one);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  const UntypedStrided batch{a, b, c, stride_a, stride_b, stride_c};
  return gemm_ex({handle, transa, transb, m, n, k, alpha, a_type, lda, b_type, ldb, beta, c_type,
                  ldc, count, compute},
                 batch);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                   const void* const a[], cudaDataType a_type, int lda,
                                   const void* const b[], cudaDataType b_type, int ldb,
                                   const void* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  const UntypedPointers batch{a, b, c};
  return gemm_ex({handle, transa, transb, m, n, k, alpha, a_type, lda, b_type, ldb, beta, c_type,
                  ldc, count, compute},
                 batch);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float* alpha,
                             const void* a, cudaDataType a_type, int lda, const void* b,
                             cudaDataType b_type, int ldb, const float* beta, void* c,
                             cudaDataType c_type, int ldc) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,
                      c, c_type, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

}  // extern "C"
