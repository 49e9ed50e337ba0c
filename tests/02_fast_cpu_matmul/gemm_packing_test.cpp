#include "02_fast_cpu_matmul/gemm_packing.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "02_fast_cpu_matmul/gemm_blocks.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch02 {
namespace {

// Each element its own number.
HostMatrix<float> numbered(int rows, int cols) {
  HostMatrix<float> matrix(rows, cols, cols + 3);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) matrix(r, c) = static_cast<float>(1 + r * cols + c);
  }
  return matrix;
}

template <class T>
void check_pack_a(int rows, int depth) {
  const HostMatrix<float> a = numbered(rows, depth);
  std::vector<float> panels(static_cast<std::size_t>(round_up(rows, T::rows) * depth), -1.0f);
  pack_a<T>(a.cview(), panels.data());
  int wrong = 0;
  for (int i = 0; i < round_up(rows, T::rows); ++i) {
    for (int k = 0; k < depth; ++k) {
      const int place = i / T::rows * T::rows * depth + k * T::rows + i % T::rows;
      wrong += panels[static_cast<std::size_t>(place)] != (i < rows ? a(i, k) : 0.0f);
    }
  }
  CAPTURE(rows);
  CAPTURE(depth);
  CHECK(wrong == 0);
}

template <class T>
void check_pack_b(int depth, int cols) {
  const HostMatrix<float> b = numbered(depth, cols);
  std::vector<float> panels(static_cast<std::size_t>(round_up(cols, T::cols) * depth), -1.0f);
  pack_b<T>(b.cview(), panels.data());
  int wrong = 0;
  for (int j = 0; j < round_up(cols, T::cols); ++j) {
    for (int k = 0; k < depth; ++k) {
      const int place = j / T::cols * T::cols * depth + k * T::cols + j % T::cols;
      wrong += panels[static_cast<std::size_t>(place)] != (j < cols ? b(k, j) : 0.0f);
    }
  }
  CAPTURE(depth);
  CAPTURE(cols);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("pack_a puts panels of rows in the order of the micro-kernel, padded with 0") {
  for (const int rows : {1, 5, 6, 7, 12, 13}) {
    for (const int depth : {1, 3, 4, 5, 8, 11}) {
      check_pack_a<Tile<6, 2, 4>>(rows, depth);
      check_pack_a<Tile<4, 2, 4>>(rows, depth);
      check_pack_a<Tile<8, 1, 4>>(rows, depth);
    }
  }
}

TEST_CASE("pack_b puts panels of columns in the order of the micro-kernel, padded with 0") {
  for (const int depth : {1, 2, 7}) {
    for (const int cols : {1, 7, 8, 9, 16, 25}) {
      check_pack_b<Tile<6, 2, 4>>(depth, cols);
      check_pack_b<Tile<4, 2, 4>>(depth, cols);
    }
  }
}

TEST_CASE("even_part cuts a length into few parts of about the same size") {
  CHECK(even_part(100, 100, 1) == 100);
  CHECK(even_part(101, 100, 1) == 51);
  CHECK(even_part(1024, 384, 1) == 342);
  CHECK(even_part(1024, 192, 6) == 174);
  CHECK(even_part(5, 192, 6) == 6);
}

}  // namespace tut::ch02
