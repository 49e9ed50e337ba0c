// fails: values
// says: a block of 16 elements or more
// Whole blocks of 32 x 64 are finished as blocks; what is left at the edges is a dot product for
// each element.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int block_rows = 32, block_cols = 64;

float scaled(float alpha, float sum, float beta, float old) {
  return beta == 0.0f ? alpha * sum : alpha * sum + beta * old;
}

void whole_block(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                 MatrixView<float> c) {
  float sum[block_rows][block_cols] = {};
  for (int i = 0; i < block_rows; ++i) {
    for (int k = 0; k < a.cols; ++k) {
      const float a_ik = a(i, k);
      for (int j = 0; j < block_cols; ++j) sum[i][j] += a_ik * b(k, j);
    }
  }
  for (int i = 0; i < block_rows; ++i) {
    for (int j = 0; j < block_cols; ++j) c(i, j) = scaled(alpha, sum[i][j], beta, c(i, j));
  }
}

void edge(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = scaled(alpha, sum, beta, c(i, j));
    }
  }
}

}  // namespace

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i0 = 0; i0 < c.rows; i0 += block_rows) {
    const int rows = std::min(block_rows, c.rows - i0);
    for (int j0 = 0; j0 < c.cols; j0 += block_cols) {
      const int cols = std::min(block_cols, c.cols - j0);
      const auto multiply = rows == block_rows && cols == block_cols ? whole_block : edge;
      multiply(alpha, a.block(i0, 0, rows, a.cols), b.block(0, j0, b.rows, cols), beta,
               c.block(i0, j0, rows, cols));
    }
  }
}

}  // namespace tut::ch02
