#pragma once

#include <algorithm>
#include <cstdint>

#include "02_fast_cpu_matmul/gemm_tile.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch02 {

/// Transposes 4x4: to[k * to_stride + i] = from[i * from_stride + k].
[[gnu::always_inline]] inline void transpose_4x4(const float* from, std::int64_t from_stride,
                                                 float* to, int to_stride) {
  typedef float Row __attribute__((vector_size(4 * sizeof(float))));
  const Row r0 = load<Row>(from), r1 = load<Row>(from + from_stride);
  const Row r2 = load<Row>(from + 2 * from_stride), r3 = load<Row>(from + 3 * from_stride);
  const Row low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  const Row low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  const Row high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  const Row high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  store<Row>(to, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
  store<Row>(to + to_stride, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
  store<Row>(to + 2 * to_stride, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
  store<Row>(to + 3 * to_stride, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}

//! [pack-a]
/// Packs A (rows, depth) into panels of T::rows rows: element (i, k) of a panel is at
/// panel[k * T::rows + i], the order in which the micro-kernel reads it. The last panel is padded
/// with rows of zeros.
template <class T>
void pack_a(MatrixView<const float> a, float* panels) {
  for (int row = 0; row < a.rows; row += T::rows, panels += T::rows * a.cols) {
    const int rows = std::min(T::rows, a.rows - row);
    const int whole = rows == T::rows ? a.cols / 4 * 4 : 0;
    for (int k = 0; k < whole; k += 4) {
      // Four rows at a time; where T::rows is no multiple of 4 the last four overlap.
#pragma GCC unroll 4
      for (int i = 0; i < T::rows; i += 4) {
        const int first = std::min(i, T::rows - 4);
        transpose_4x4(&a(row + first, k), a.stride, &panels[k * T::rows + first], T::rows);
      }
    }
    for (int k = whole; k < a.cols; ++k) {
      for (int i = 0; i < T::rows; ++i) {
        panels[k * T::rows + i] = i < rows ? a(row + i, k) : 0.0f;
      }
    }
  }
}
//! [pack-a]

//! [pack-b]
/// Packs B (depth, cols) into panels of T::cols columns: element (k, j) of a panel is at
/// panel[k * T::cols + j]. The last panel is padded with columns of zeros.
template <class T>
void pack_b(MatrixView<const float> b, float* panels) {
  for (int k = 0; k < b.rows; ++k) {  // rows outside: B is read in the order it lies in memory
    float* to = &panels[k * T::cols];
    for (int col = 0; col < b.cols; col += T::cols, to += b.rows * T::cols) {
      const int missing = std::max(0, col + T::cols - b.cols);
      if (missing == 0) {
        std::copy_n(&b(k, col), T::cols, to);
      } else {
        std::fill_n(std::copy_n(&b(k, col), T::cols - missing, to), missing, 0.0f);
      }
    }
  }
}
//! [pack-b]

}  // namespace tut::ch02
