/// \file
/// C = scale · ABᵀ in FP8 by cublasLt: what matmul_fp8 is measured against on a GPU. (The CPU
/// backend's cublasLt has no FP8.)
#pragma once

#include <cublasLt.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tut/device/cublas.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// A product of one shape, for which cublasLt has chosen an algorithm: factors in E4M3, C and the
/// sums in FP32. It stays where it is made.
class CublasLtFp8 {
 public:
  /// \param fast_sums  whether tensor cores alone may add (CUBLASLT_MATMUL_DESC_FAST_ACCUM); else
  ///                   sums are promoted, as matmul_fp8 does
  ///
  /// Errors: `tut::CublasError`, for shapes for which cublasLt has no algorithm as well;
  /// `tut::CudaError`.
  ///
  /// **Source**: cuBLAS documentation, "cublasLtMatmul()". Column-major: Cᵀ = B Aᵀ.
  CublasLtFp8(MatmulShape s, float scale_a, float scale_b, bool fast_sums)
      : scales_(std::vector<float>{scale_b, scale_a}), workspace_(std::size_t{32} << 20) {
    check(cublasLtCreate(&handle_));
    check(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales_.data());
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales_.data() + 1);
    set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(fast_sums));
    const auto m = static_cast<std::uint64_t>(s.m), n = static_cast<std::uint64_t>(s.n),
               k = static_cast<std::uint64_t>(s.k);
    check(cublasLtMatrixLayoutCreate(&b_, CUDA_R_8F_E4M3, k, n, s.k));
    check(cublasLtMatrixLayoutCreate(&a_, CUDA_R_8F_E4M3, k, m, s.k));
    check(cublasLtMatrixLayoutCreate(&c_, CUDA_R_32F, n, m, s.n));
    choose();
  }
  CublasLtFp8(CublasLtFp8&&) = delete;
  CublasLtFp8& operator=(CublasLtFp8&&) = delete;
  ~CublasLtFp8() {
    for (const cublasLtMatrixLayout_t layout : {a_, b_, c_}) {
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    }
    if (product_ != nullptr) cublasLtMatmulDescDestroy(product_);
    if (handle_ != nullptr) cublasLtDestroy(handle_);
  }

  /// \param a  (M, K), row-major, device memory, stride K
  /// \param b  (N, K), row-major, device memory, stride K
  /// \param c  (M, N), row-major, device memory, stride N; overwritten
  void run(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, float* c, cudaStream_t stream) {
    const float one = 1.0f, zero = 0.0f;
    check(cublasLtMatmul(handle_, product_, &one, b, b_, a, a_, &zero, c, c_, c, c_, &choice_.algo,
                         workspace_.data(), workspace_.size(), stream));
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    check(cublasLtMatmulDescSetAttribute(product_, attribute, &value, sizeof(T)));
  }
  void choose() {
    cublasLtMatmulPreference_t preference{};
    check(cublasLtMatmulPreferenceCreate(&preference));
    const std::size_t size = workspace_.size();
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &size, sizeof size));
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle_, product_, b_, a_, c_, c_,
                                                                 preference, 1, &choice_, &found);
    check(cublasLtMatmulPreferenceDestroy(preference));
    check(status == CUBLAS_STATUS_SUCCESS && found == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : status);
  }

  DeviceBuffer<float> scales_;
  DeviceBuffer<std::byte> workspace_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  cublasLtMatmulHeuristicResult_t choice_{};
};

}  // namespace tut::ch11
