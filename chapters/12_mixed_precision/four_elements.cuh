/// \file
/// Neighbouring elements of a row in one access, where the matrix allows.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// Whether rows consist of whole float4, at addresses that are multiples of 16.
template <class T>
bool has_rows_of_float4(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0 && m.cols % 4 == 0;
}

/// Elements (r, c) to (r, c + 3) for c a multiple of 4, 0 outside the matrix. WIDE: the matrix has
/// rows of float4.
template <bool WIDE>
__device__ float4 load_four(MatrixView<const float> m, int r, int c) {
  if (WIDE) {
    const bool inside = r < m.rows && c < m.cols;
    return inside ? *reinterpret_cast<const float4*>(&m(r, c)) : float4{0.0f, 0.0f, 0.0f, 0.0f};
  }
  const auto at = [&](int col) { return r < m.rows && col < m.cols ? m(r, col) : 0.0f; };
  return {at(c), at(c + 1), at(c + 2), at(c + 3)};
}

/// Elements (r, c) and (r, c + 1) for c even; what lies outside the matrix is not written.
template <bool WIDE>
__device__ void store_two(float2 x, MatrixView<float> m, int r, int c) {
  if (r >= m.rows || c >= m.cols) return;
  if (WIDE) {
    *reinterpret_cast<float2*>(&m(r, c)) = x;
    return;
  }
  m(r, c) = x.x;
  if (c + 1 < m.cols) m(r, c + 1) = x.y;
}

}  // namespace tut::ch12
