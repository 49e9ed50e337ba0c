// Rows of C are shared out among four threads.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <thread>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows,
          {"A is ", shape_part(a), ", B is ", shape_part(b), ", C is ", shape_part(c),
           "; expected (M, K), (N, K) and (M, N)"});
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");

  constexpr int threads = 4;
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t) {
    team.emplace_back([=] {
      for (int i = t; i < c.rows; i += threads) {
        for (int j = 0; j < c.cols; ++j) {
          float sums[4] = {};
          int k = 0;
          for (; k + 4 <= a.cols; k += 4) {
            for (int s = 0; s < 4; ++s) sums[s] += a(i, k + s) * b(j, k + s);
          }
          for (; k < a.cols; ++k) sums[0] += a(i, k) * b(j, k);
          c(i, j) = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
      }
    });
  }
}

}  // namespace tut::ch01
