/// \file
/// When a kernel of this chapter can do without conditions, and indices that it then needs no more
/// than 32 bits for.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// Whether rows of this matrix can be accessed 16 bytes at a time: every row begins at a multiple
/// of 16 bytes.
template <class T>
__host__ __device__ bool is_float4_accessible(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0;
}

/// Whether a kernel with tiles of bm x bn, bk deep, can do without conditions (TILES_FIT_EXACTLY
/// below): every tile lies inside, every row takes vectors, and 32 bits hold any index within 256
/// rows, which no tile has more of.
inline bool tiles_fit_exactly(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, int bm, int bn, int bk) {
  return std::max({bm, bn, bk}) <= 256 && is_float4_accessible(a) && is_float4_accessible(b) &&
         is_float4_accessible(c) && c.rows % bm == 0 && c.cols % bn == 0 && a.cols % bk == 0 &&
         a.stride < 1 << 24 && b.stride < 1 << 24 && c.stride < 1 << 24;
}

/// The index of element (row, col) in 32 bits, for as many as tiles_fit_exactly() lets through.
__host__ __device__ constexpr unsigned index32(int row, std::int64_t stride, int col) {
  return static_cast<unsigned>(row) * static_cast<unsigned>(stride) + static_cast<unsigned>(col);
}

}  // namespace tut::ch07
