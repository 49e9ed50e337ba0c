// fails: values
// says: an element of C was written more than once
// Four columns at once go by pieces of K, which each add their part to the elements in C.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <algorithm>

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

  constexpr int piece = 512;
  for (int i = 0; i < c.rows; ++i) {
    int j = 0;
    for (; j + 4 <= c.cols; j += 4) {
      for (int k0 = 0; k0 < a.cols; k0 += piece) {
        const int k1 = std::min(k0 + piece, a.cols);
        float sums[4] = {};
        for (int k = k0; k < k1; ++k) {
          for (int s = 0; s < 4; ++s) sums[s] += a(i, k) * b(j + s, k);
        }
        for (int s = 0; s < 4; ++s) c(i, j + s) = k0 == 0 ? sums[s] : c(i, j + s) + sums[s];
      }
    }
    for (; j < c.cols; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(j, k);
      c(i, j) = sum;
    }
  }
}

}  // namespace tut::ch01
