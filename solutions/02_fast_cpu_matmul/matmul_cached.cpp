#include "02_fast_cpu_matmul/matmul_cached.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch02 {
namespace {

//! [blank-matmul_cached]
constexpr int tile_rows = 6, tile_cols = 16;  // of C, in registers: 22 loads for 96 multiply-adds
// A packed block of A is 12 KiB, a panel of B 8 KiB: the first cache holds both.
constexpr int block_depth = 128, block_rows = 4 * tile_rows;
constexpr int block_cols = 32 * tile_cols;  // of B; packed they are 256 KiB

/// Packs rows of A into panels of tile_rows: element (i, k) of a panel is at
/// panel[k * tile_rows + i]. Rows beyond the last are 0.
template <class T>
void pack_a_block(MatrixView<const T> a, T* panel) {
  for (int row = 0; row < a.rows; row += tile_rows, panel += a.cols * tile_rows) {
    for (int i = 0; i < tile_rows; ++i) {  // along a row, as it lies in memory
      for (int k = 0; k < a.cols; ++k) {
        panel[k * tile_rows + i] = row + i < a.rows ? a(row + i, k) : T(0.0f);
      }
    }
  }
}

/// Packs columns of B into panels of tile_cols: element (k, j) is at panel[k * tile_cols + j].
template <class T>
void pack_b_block(MatrixView<const T> b, T* panel) {
  for (int col = 0; col < b.cols; col += tile_cols, panel += b.rows * tile_cols) {
    const int cols = std::min(tile_cols, b.cols - col);
    for (int k = 0; k < b.rows; ++k) {
      T* const to = &panel[k * tile_cols];
      for (int j = 0; j < cols; ++j) to[j] = b(k, col + j);
      for (int j = cols; j < tile_cols; ++j) to[j] = T(0.0f);
    }
  }
}

/// A tile of C: multiplied as if it were whole, written as far as it is there. `adds`: to what C
/// holds from the steps of k before.
template <class T>
void multiply_tile(int depth, const T* a_panel, const T* b_panel, bool adds, MatrixView<T> c) {
  T sum[tile_rows][tile_cols] = {};
  for (int k = 0; k < depth; ++k, a_panel += tile_rows, b_panel += tile_cols) {
    T a_part[tile_rows], b_part[tile_cols];
    for (int i = 0; i < tile_rows; ++i) a_part[i] = a_panel[i];
    for (int j = 0; j < tile_cols; ++j) b_part[j] = b_panel[j];
    for (int i = 0; i < tile_rows; ++i) {
      for (int j = 0; j < tile_cols; ++j) sum[i][j] += a_part[i] * b_part[j];
    }
  }
  for (int i = 0; i < std::min(tile_rows, c.rows); ++i) {
    for (int j = 0; j < std::min(tile_cols, c.cols); ++j) {
      if (adds) {
        c(i, j) += sum[i][j];
      } else {
        c(i, j) = sum[i][j];
      }
    }
  }
}

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
  require_matmul_shapes(a, b, c);

  std::vector<T> a_block(static_cast<std::size_t>(block_rows * block_depth));
  std::vector<T> b_block(static_cast<std::size_t>(block_depth * block_cols));
  for (int j0 = 0; j0 < c.cols; j0 += block_cols) {
    const int cols = std::min(block_cols, c.cols - j0);
    for (int k0 = 0; k0 < a.cols; k0 += block_depth) {
      const int depth = std::min(block_depth, a.cols - k0);
      pack_b_block(b.block(k0, j0, depth, cols), b_block.data());
      for (int i0 = 0; i0 < c.rows; i0 += block_rows) {
        const int rows = std::min(block_rows, c.rows - i0);
        pack_a_block(a.block(i0, k0, rows, depth), a_block.data());
        // A panel of B is used by all tiles of its column while it is in the cache.
        for (int j = 0; j < cols; j += tile_cols) {
          for (int i = 0; i < rows; i += tile_rows) {
            multiply_tile(depth, a_block.data() + std::ptrdiff_t{i} * depth,
                          b_block.data() + std::ptrdiff_t{j} * depth, k0 > 0,
                          c.block(i0 + i, j0 + j, rows - i, cols - j));
          }
        }
      }
    }
  }
}
//> /// C = A B, for numbers of type float and CountedFloat.
//> template <class T>
//> void multiply(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
//>   // TODO: All of it. The contract, with the target, is in matmul_cached.hpp of the chapter.
//> }
//! [blank-matmul_cached]

}  // namespace

void matmul_cached(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  multiply(a, b, c);
}

void matmul_cached(MatrixView<const CountedFloat> a, MatrixView<const CountedFloat> b,
                   MatrixView<CountedFloat> c) {
  multiply(a, b, c);
}

}  // namespace tut::ch02
