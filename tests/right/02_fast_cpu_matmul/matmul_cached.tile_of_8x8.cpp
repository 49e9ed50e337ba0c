// Tiles of 8 x 8, blocks of A and of B that are copied as they lie: no panels.
#include "02_fast_cpu_matmul/matmul_cached.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int SIDE = 8, DEEP = 96, HIGH = 48;

template <class T>
void copy_block(MatrixView<const T> from, int stride, std::vector<T>& to) {
  for (int r = 0; r < from.rows; ++r) {
    for (int c = 0; c < from.cols; ++c) {
      to[static_cast<std::size_t>(r) * static_cast<std::size_t>(stride) +
         static_cast<std::size_t>(c)] = from(r, c);
    }
  }
}

template <class T>
void go(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  require_matmul_shapes(a, b, c);
  std::vector<T> a_copy(HIGH * DEEP), b_copy(DEEP * SIDE);
  for (int k0 = 0; k0 < a.cols; k0 += DEEP) {
    const int depth = std::min(DEEP, a.cols - k0);
    for (int i0 = 0; i0 < c.rows; i0 += HIGH) {
      const int high = std::min(HIGH, c.rows - i0);
      copy_block(a.block(i0, k0, high, depth), DEEP, a_copy);
      for (int j0 = 0; j0 < c.cols; j0 += SIDE) {
        const int cols = std::min(SIDE, c.cols - j0);
        copy_block(b.block(k0, j0, depth, cols), SIDE, b_copy);
        for (int i1 = 0; i1 < high; i1 += SIDE) {
          const int rows = std::min(SIDE, high - i1);
          T sums[SIDE][SIDE] = {};
          for (int k = 0; k < depth; ++k) {
            T right[SIDE] = {};
            for (int j = 0; j < cols; ++j)
              right[j] = b_copy[static_cast<std::size_t>(k * SIDE + j)];
            for (int i = 0; i < rows; ++i) {
              const T left = a_copy[static_cast<std::size_t>((i1 + i) * DEEP + k)];
              for (int j = 0; j < cols; ++j) sums[i][j] += left * right[j];
            }
          }
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) {
              T& to = c(i0 + i1 + i, j0 + j);
              to = k0 == 0 ? sums[i][j] : to + sums[i][j];
            }
          }
        }
      }
    }
  }
}

}  // namespace

void matmul_cached(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  go(a, b, c);
}
void matmul_cached(MatrixView<const CountedFloat> a, MatrixView<const CountedFloat> b,
                   MatrixView<CountedFloat> c) {
  go(a, b, c);
}

}  // namespace tut::ch02
