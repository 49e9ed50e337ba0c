// Tensor maps: what CUDA's driver asks of one, and what becomes of it.
#include "simt/ptx/tensor_map.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "cuda.h"
#include "interface.hpp"

namespace {

using simt::ptx::TensorMap;

static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap));

constexpr std::uintptr_t kAddressAlignment = 16, kMapAlignment = 64;
constexpr std::uint32_t kMostRank = 5, kMostBox = 256, kMostPixels = 1024, kMostStep = 8;
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

/// What the calls that make a map have in common.
struct Encoding {
  CUtensorMap* tensor;
  CUtensorMapDataType type;
  cuuint32_t rank;
  void* address;
  const cuuint64_t* sizes;
  const cuuint64_t* strides;
  const cuuint32_t* steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;

  bool fills_with_nan() const { return fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }
  bool is_valid() const {
    return tensor != nullptr && reinterpret_cast<std::uintptr_t>(tensor) % kMapAlignment == 0 &&
           sizes != nullptr && steps != nullptr && (rank == 1 || strides != nullptr) &&
           address != nullptr &&
           reinterpret_cast<std::uintptr_t>(address) % kAddressAlignment == 0 &&
           type >= CU_TENSOR_MAP_DATA_TYPE_UINT8 && type <= CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B &&
           interleave >= CU_TENSOR_MAP_INTERLEAVE_NONE &&
           interleave <= CU_TENSOR_MAP_INTERLEAVE_32B && swizzle >= CU_TENSOR_MAP_SWIZZLE_NONE &&
           swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B &&
           promotion >= CU_TENSOR_MAP_L2_PROMOTION_NONE &&
           promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
           (interleave == CU_TENSOR_MAP_INTERLEAVE_NONE || rank >= 3) &&
           (fills_with_nan() ? is_floating(type) : fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
};

/// Says what of it there is not here, all that there is, once for each call in the program.
/// `site` is where that returns to.
bool is_supported(const Encoding& asked, const char* call, const void* site) {
  std::string missing;
  const auto note = [&](bool is_missing, const char* what) {
    if (is_missing) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  note(asked.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE, "interleaved layouts");
  note(element_bytes(asked.type) == 0, "elements of 4 and 6 bits");
  note(asked.swizzle > CU_TENSOR_MAP_SWIZZLE_128B, "swizzles of compute capability 10");
  if (missing.empty()) return true;
  static std::mutex mutex;
  static std::set<std::pair<const void*, std::string>> told;
  const std::lock_guard lock(mutex);
  if (!told.emplace(site, missing).second) return false;
  const char* const line =
      simt_line_of_instruction != nullptr ? simt_line_of_instruction(site, true) : "";
  std::fprintf(stderr, "%s%s%s: not supported on the CPU backend: %s\n",
               *line != '\0' ? line : "simt", ": ", call, missing.c_str());
  return false;
}

/// Fills in what a copy along each dimension needs. False if a number is out of its range.
bool set_dimensions(TensorMap& map, const Encoding& asked) {
  for (std::uint32_t d = 0; d < map.rank; ++d) {
    if (asked.sizes[d] == 0 || asked.sizes[d] > kMostSize) return false;
    if (asked.steps[d] == 0 || asked.steps[d] > kMostStep) return false;
    map.sizes[d] = asked.sizes[d];
    map.steps[d] = static_cast<std::uint8_t>(asked.steps[d]);
  }
  for (std::uint32_t d = 0; d + 1 < map.rank; ++d) {
    if (asked.strides[d] % kAddressAlignment != 0 || asked.strides[d] >= kStrideEnd) return false;
    map.strides[d] = asked.strides[d];
  }
  return true;
}

/// All of it but what one copy moves. False if a number is out of its range.
bool set_tensor(TensorMap& map, const Encoding& asked) {
  map.mark = TensorMap::kMark;
  map.rank = static_cast<std::uint8_t>(asked.rank);
  map.type = static_cast<std::uint8_t>(asked.type);
  map.element_bytes = element_bytes(asked.type);
  map.fill = asked.fills_with_nan() ? 0xFF : 0;
  map.address = reinterpret_cast<std::uintptr_t>(asked.address);
  constexpr std::uint8_t kSwizzleBytes[] = {0, 32, 64, 128};
  map.swizzle_bytes = kSwizzleBytes[asked.swizzle];
  return set_dimensions(map, asked);
}

/// Whether rows in shared memory are as long as they may be.
bool has_valid_rows(const TensorMap& map) {
  return map.row_bytes() % kRowMultiple == 0 &&
         (map.swizzle_bytes == 0 || map.row_bytes() <= map.swizzle_bytes);
}

CUresult store(CUtensorMap* tensor, const TensorMap& map) {
  std::memset(tensor, 0, sizeof(*tensor));
  std::memcpy(tensor, &map, sizeof(map));
  return CUDA_SUCCESS;
}

/// The bounding box. False if a corner is out of its range, or nothing lies between them.
bool set_corners(TensorMap& map, const int* lower, const int* upper) {
  constexpr int kEnd[] = {1 << 15, 1 << 7, 1 << 4};
  const int end = kEnd[map.rank - 3];
  const auto fits = [&](int corner) { return corner >= -end && corner < end; };
  for (int d = 1; d + 1 < map.rank; ++d) {
    if (!fits(lower[d - 1]) || !fits(upper[d - 1])) return false;
    map.lower[d - 1] = static_cast<std::int16_t>(lower[d - 1]);
    map.upper[d - 1] = static_cast<std::int16_t>(upper[d - 1]);
    if (map.last_corner(d) < map.lower[d - 1]) return false;
  }
  return true;
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensor, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const Encoding asked{tensor, type,       rank,    address,   sizes, strides,
                       steps,  interleave, swizzle, promotion, fill};
  if (rank == 0 || rank > kMostRank || box == nullptr || !asked.is_valid()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!is_supported(asked, "cuTensorMapEncodeTiled", __builtin_return_address(0))) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  TensorMap map{};
  if (!set_tensor(map, asked)) return CUDA_ERROR_INVALID_VALUE;
  for (std::uint32_t d = 0; d < rank; ++d) {
    if (box[d] == 0 || box[d] > kMostBox) return CUDA_ERROR_INVALID_VALUE;
    map.box[d] = static_cast<std::uint16_t>(box[d]);
  }
  return has_valid_rows(map) ? store(tensor, map) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* tensor, CUtensorMapDataType type, cuuint32_t rank,
                                 void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                 const int* lower_corner, const int* upper_corner,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const Encoding asked{tensor, type,       rank,    address,   sizes, strides,
                       steps,  interleave, swizzle, promotion, fill};
  if (rank < 3 || rank > kMostRank || lower_corner == nullptr || upper_corner == nullptr ||
      channels == 0 || channels > kMostBox || pixels == 0 || pixels > kMostPixels ||
      !asked.is_valid()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!is_supported(asked, "cuTensorMapEncodeIm2col", __builtin_return_address(0))) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  TensorMap map{};
  map.is_columns = true;
  map.box[0] = static_cast<std::uint16_t>(channels);
  map.box[1] = static_cast<std::uint16_t>(pixels);
  const bool is_right =
      set_tensor(map, asked) && set_corners(map, lower_corner, upper_corner) && has_valid_rows(map);
  return is_right ? store(tensor, map) : CUDA_ERROR_INVALID_VALUE;
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
