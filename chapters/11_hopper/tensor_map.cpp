#include "11_hopper/tensor_map.hpp"

#include <cuda_runtime.h>

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch11 {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

// Asked of the runtime, so that programs start where there is no driver to link with.
Encode find_encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found));
#else
  check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    throw std::runtime_error(
        "this driver has no cuTensorMapEncodeTiled; expected CUDA 12 or newer");
  }
  return reinterpret_cast<Encode>(function);
}

}  // namespace

CUtensorMap make_tensor_map(const void* data, const TensorShape& shape,
                            CUtensorMapSwizzle swizzle) {
  static const Encode encode = find_encode();
  // The innermost dimension comes first. The distance of its own elements goes without saying.
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(shape.cols),
                              static_cast<cuuint64_t>(shape.rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(shape.stride) * shape.element_bytes};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(shape.box_cols),
                            static_cast<cuuint32_t>(shape.box_rows)};
  const cuuint32_t steps[] = {1, 1};
  CUtensorMap map{};
  const CUresult result =
      encode(&map, shape.type, 2, const_cast<void*>(data), sizes, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled refused a matrix of " +
                             std::to_string(shape.rows) + "x" + std::to_string(shape.cols) +
                             " with rows " + std::to_string(strides[0]) + " bytes apart: error " +
                             std::to_string(static_cast<int>(result)));
  }
  return map;
}

}  // namespace tut::ch11
