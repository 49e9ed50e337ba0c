// Copies of the blocks of A and B, with zeros beyond the edges, so that all loops have constant
// bounds.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <memory>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  constexpr int N = 48;
  struct Block {
    float at[N][N];
  };
  const auto blocks = std::make_unique<Block[]>(3);
  Block &as = blocks[0], &bs = blocks[1], &sums = blocks[2];
  const auto fetch = [](Block& to, MatrixView<const float> from, int row, int col) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        to.at[i][j] = row + i < from.rows && col + j < from.cols ? from(row + i, col + j) : 0.0f;
      }
    }
  };
  for (int i0 = 0; i0 < c.rows; i0 += N) {
    for (int j0 = 0; j0 < c.cols; j0 += N) {
      sums = {};
      for (int k0 = 0; k0 < a.cols; k0 += N) {
        fetch(as, a, i0, k0);
        fetch(bs, b, k0, j0);
        for (int i = 0; i < N; ++i) {
          for (int k = 0; k < N; ++k) {
            for (int j = 0; j < N; ++j) sums.at[i][j] += as.at[i][k] * bs.at[k][j];
          }
        }
      }
      for (int i = i0; i < i0 + N && i < c.rows; ++i) {
        for (int j = j0; j < j0 + N && j < c.cols; ++j) {
          const float old = beta == 0 ? 0 : beta * c(i, j);
          c(i, j) = old + alpha * sums.at[i - i0][j - j0];
        }
      }
    }
  }
}

}  // namespace tut::ch02
