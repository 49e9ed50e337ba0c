/// \file
/// Tensor maps: what the copy engine (TMA) has to know about a matrix in global memory.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tut/device/compute_capability.hpp"
#include "tut/errors/require.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// The only compute capability whose GPUs have wgmma: 9.0, Hopper. (Those above have other tensor
/// cores.)
inline constexpr int HOPPER_CAPABILITY = 90;

/// Throws `std::runtime_error`, which names `what`, unless the current device is a Hopper GPU or
/// the CPU backend.
inline void require_hopper(const std::string& what) {
  const int capability = compute_capability();
  if (capability == HOPPER_CAPABILITY) return;
  throw std::runtime_error(what + " needs a GPU of compute capability 9.0; this device has " +
                           std::to_string(capability / 10) + "." + std::to_string(capability % 10));
}

/// A matrix of elements of `type` and `element_bytes` each, and the box that a copy moves.
struct TensorShape {
  CUtensorMapDataType type;
  std::size_t element_bytes;
  int rows, cols;
  std::int64_t stride;     ///< in elements
  int box_rows, box_cols;  ///< at most 256 each
};

/// The map of a row-major matrix. `data` is in device memory and a multiple of 16 bytes, as is the
/// distance of rows.
///
/// Errors: `std::runtime_error` if the driver has no tensor maps or refuses this one.
CUtensorMap make_tensor_map(const void* data, const TensorShape& shape, CUtensorMapSwizzle swizzle);

/// How the driver calls T.
template <class T>
inline constexpr CUtensorMapDataType tensor_type =
    std::is_same_v<T, __nv_bfloat16>   ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
    : std::is_same_v<T, __half>        ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
    : std::is_same_v<T, __nv_fp8_e4m3> ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;

//! [is_tensor]
/// Whether TMA takes the matrix: its first element and the distance of its rows must be multiples
/// of 16 bytes. Its sizes may be any.
template <class T>
bool is_tensor(const MatrixView<T>& matrix) {
  return reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0 &&
         matrix.stride * sizeof(T) % 16 == 0;
}
//! [is_tensor]

/// Throws `std::invalid_argument`, which names the matrix, unless is_tensor(matrix).
template <class T>
void require_tensor(const MatrixView<T>& matrix, const char* name,
                    const SourceLocation& where = SourceLocation::current()) {
  require(reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0,
          {name, " does not begin at a multiple of 16 bytes, which TMA needs"}, where);
  require(matrix.stride * sizeof(T) % 16 == 0,
          {name, " has a stride of ", matrix.stride, " elements; expected a multiple of ",
           16 / sizeof(T), ", which TMA needs"},
          where);
}

/// What a launcher of C = ABᵀ asks for, or throws: shapes that fit, A and B that TMA takes, a
/// device that has wgmma. `name`: the launcher's.
template <class T, class U>
void require_transposed_matmul(const MatrixView<const T>& a, const MatrixView<const T>& b,
                               const MatrixView<U>& c, const char* name,
                               const SourceLocation& where = SourceLocation::current()) {
  require_matmul_shapes(a, MatrixView<const T>{b.data, b.cols, b.rows, b.rows}, c, where);
  require_matrix(b, "B", where);
  require_tensor(a, "A", where);
  require_tensor(b, "B", where);
  require_hopper(name);
}

/// The map of a matrix, for boxes of box_rows x box_cols; require_tensor(matrix) holds.
template <class T>
CUtensorMap make_tensor_map(const MatrixView<T>& matrix, int box_rows, int box_cols,
                            CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B) {
  using Plain = std::remove_const_t<T>;
  static_assert(tensor_type<Plain> != CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ||
                std::is_same_v<Plain, float>);
  return make_tensor_map(
      matrix.data,
      {tensor_type<Plain>, sizeof(T), matrix.rows, matrix.cols, matrix.stride, box_rows, box_cols},
      swizzle);
}

}  // namespace tut::ch11
