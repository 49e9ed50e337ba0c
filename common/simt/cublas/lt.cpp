// cuBLASLt's descriptors and calls.
#include "lt.hpp"

#include <cstring>
#include <new>

struct cublasLtMatmulPreferenceOpaque_t {};

namespace {

/// Where an attribute is kept.
struct Field {
  void* place = nullptr;
  std::size_t size = 0;
};

template <class T>
Field field(T& member) {
  return {&member, sizeof(member)};
}

Field find(cublasLtMatrixLayoutOpaque_t& layout, cublasLtMatrixLayoutAttribute_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return field(layout.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return field(layout.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return field(layout.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return field(layout.cols);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return field(layout.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return field(layout.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return field(layout.batch_stride);
    case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
      break;
  }
  return {};
}

Field find(cublasLtMatmulDescOpaque_t& desc, cublasLtMatmulDescAttributes_t attribute) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
      return field(desc.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
      return field(desc.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE:
      return field(desc.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return field(desc.transa);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return field(desc.transb);
    case CUBLASLT_MATMUL_DESC_TRANSC:
      return field(desc.transc);
    case CUBLASLT_MATMUL_DESC_FILL_MODE:
      return field(desc.fill);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return field(desc.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return field(desc.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
      return field(desc.bias_stride);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return field(desc.aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return field(desc.aux_ld);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return field(desc.aux_stride);
    case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
      return field(desc.sm_count);
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      return field(desc.a_scale);
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      return field(desc.b_scale);
    case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER:
      return field(desc.c_scale);
    case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER:
      return field(desc.d_scale);
    case CUBLASLT_MATMUL_DESC_AMAX_D_POINTER:
      return field(desc.d_largest);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE:
      return field(desc.aux_type);
    case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
      return field(desc.fast_accumulation);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return field(desc.bias_type);
  }
  return {};
}

cublasStatus_t set(Field field, const void* value, std::size_t size) {
  if (field.place == nullptr || value == nullptr || size != field.size) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(field.place, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get(Field field, void* value, std::size_t size, std::size_t* written) {
  if (field.place == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = field.size;
  if (size == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
  if (value == nullptr || size != field.size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, field.place, size);
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t create(T** made, const T& value) {
  if (made == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *made = new (std::nothrow) T(value);
  return *made != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

}  // namespace

extern "C" {

// The handle holds nothing: cuBLAS's own handle does as well, as with cuBLAS.
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = reinterpret_cast<cublasLtHandle_t>(new char);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<char*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() { return 130000; }
const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld) {
  return create(layout, {.type = type, .rows = rows, .cols = cols, .ld = ld});
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t size) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return set(find(*layout, attribute), value, size);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                void* value, size_t size, size_t* written) {
  if (layout == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return get(find(*layout, attribute), value, size, written);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t compute,
                                        cudaDataType scale) {
  return create(desc, {.compute = compute, .scale = scale});
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t size) {
  if (desc == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return set(find(*desc, attribute), value, size);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute, void* value,
                                              size_t size, size_t* written) {
  if (desc == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return get(find(*desc, attribute), value, size, written);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return create(preference, {});
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void* value, size_t) {
  return preference != nullptr && value != nullptr ? CUBLAS_STATUS_SUCCESS
                                                   : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* found) {
  if (handle == nullptr || desc == nullptr || a == nullptr || b == nullptr || c == nullptr ||
      d == nullptr || preference == nullptr || wanted < 1 || results == nullptr ||
      found == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const cublasStatus_t status = simt::cublas::check({*desc, *a, *b, *c, *d});
  *found = status == CUBLAS_STATUS_SUCCESS ? 1 : 0;
  if (*found == 1) results[0] = {{}, 0, CUBLAS_STATUS_SUCCESS, 1.0F, {}};
  return status;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || a_layout == nullptr || b_layout == nullptr || c_layout == nullptr ||
      d_layout == nullptr || alpha == nullptr || beta == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const simt::cublas::LtMatmul call{*desc, *a_layout, *b_layout, *c_layout, *d_layout};
  const cublasStatus_t status = simt::cublas::check(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return simt::cublas::run(call, alpha, a, b, beta, c, d, stream);
}

}  // extern "C"
