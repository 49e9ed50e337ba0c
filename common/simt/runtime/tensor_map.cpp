// Tensor maps: what CUDA's driver asks of one, and what becomes of it.
#include "simt/ptx/tensor_map.hpp"

#include <cstdio>
#include <cstring>

#include "cuda.h"

namespace {

using simt::ptx::TensorMap;

static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap));

constexpr std::uintptr_t kAddressAlignment = 16, kMapAlignment = 64;
constexpr std::uint32_t kMostRank = 5, kMostBox = 256, kMostStep = 8;
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 32, kStrideEnd = std::uint64_t{1} << 40;
constexpr std::uint32_t kRowMultiple = 16;

/// 0 of types that are not there.
std::uint8_t element_bytes(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 0;
  }
}

bool is_floating(CUtensorMapDataType type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

/// Says once what there is not.
CUresult refuse(const char* what) {
  static const bool said = [&] {
    return std::fprintf(stderr,
                        "simt: cuTensorMapEncodeTiled: %s are not supported on the CPU backend\n",
                        what) > 0;
  }();
  static_cast<void>(said);
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// Fills in each dimension's numbers. False if one is out of its range.
bool set_dimensions(TensorMap& map, const cuuint64_t* sizes, const cuuint64_t* strides,
                    const cuuint32_t* box, const cuuint32_t* steps) {
  for (std::uint32_t d = 0; d < map.rank; ++d) {
    if (sizes[d] == 0 || sizes[d] > kMostSize || box[d] == 0 || box[d] > kMostBox) return false;
    if (steps[d] == 0 || steps[d] > kMostStep) return false;
    map.sizes[d] = sizes[d];
    map.box[d] = static_cast<std::uint16_t>(box[d]);
    map.steps[d] = static_cast<std::uint8_t>(steps[d]);
  }
  for (std::uint32_t d = 0; d + 1 < map.rank; ++d) {
    if (strides[d] % kAddressAlignment != 0 || strides[d] >= kStrideEnd) return false;
    map.strides[d] = strides[d];
  }
  return map.row_bytes() % kRowMultiple == 0;
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensor, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  if (tensor == nullptr || reinterpret_cast<std::uintptr_t>(tensor) % kMapAlignment != 0 ||
      sizes == nullptr || box == nullptr || steps == nullptr || rank == 0 || rank > kMostRank ||
      (rank > 1 && strides == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (address == nullptr || reinterpret_cast<std::uintptr_t>(address) % kAddressAlignment != 0 ||
      type < CU_TENSOR_MAP_DATA_TYPE_UINT8 || type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B ||
      interleave < CU_TENSOR_MAP_INTERLEAVE_NONE || interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      swizzle < CU_TENSOR_MAP_SWIZZLE_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
      promotion < CU_TENSOR_MAP_L2_PROMOTION_NONE ||
      promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && rank < 3) return CUDA_ERROR_INVALID_VALUE;
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return refuse("interleaved layouts");
  if (element_bytes(type) == 0) return refuse("elements of 4 and 6 bits");
  if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B) return refuse("swizzles of compute capability 10");
  const bool fills_with_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  if ((!fills_with_nan && fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) ||
      (fills_with_nan && !is_floating(type))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  TensorMap map{};
  map.mark = TensorMap::kMark;
  map.rank = static_cast<std::uint8_t>(rank);
  map.type = static_cast<std::uint8_t>(type);
  map.element_bytes = element_bytes(type);
  map.fill = fills_with_nan ? 0xFF : 0;
  map.address = reinterpret_cast<std::uintptr_t>(address);
  constexpr std::uint8_t kSwizzleBytes[] = {0, 32, 64, 128};
  map.swizzle_bytes = kSwizzleBytes[swizzle];
  if (!set_dimensions(map, sizes, strides, box, steps)) return CUDA_ERROR_INVALID_VALUE;
  if (map.swizzle_bytes != 0 && map.row_bytes() > map.swizzle_bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memset(tensor, 0, sizeof(*tensor));
  std::memcpy(tensor, &map, sizeof(map));
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensor, void* address) {
  if (tensor == nullptr || address == nullptr ||
      reinterpret_cast<std::uintptr_t>(address) % kAddressAlignment != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  TensorMap map;
  std::memcpy(&map, tensor, sizeof(map));
  if (map.mark != TensorMap::kMark) return CUDA_ERROR_INVALID_VALUE;
  map.address = reinterpret_cast<std::uintptr_t>(address);
  std::memcpy(tensor, &map, sizeof(map));
  return CUDA_SUCCESS;
}
