#include "01_naive_matmul/matmul_transposed_b.hpp"

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

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      const float* a_row = &a(i, 0);
      const float* b_row = &b(j, 0);
      //! [hole-dot]
      // Add the products a_row[k] * b_row[k] of all k to eight partial sums: element k belongs to
      // sum k % 8. A single sum would make each addition wait for the one before; eight do not
      // wait for each other. Mind the last elements when 8 does not divide a.cols.
      float sums[8] = {};
      int k = 0;
      for (; k + 8 <= a.cols; k += 8) {
        for (int s = 0; s < 8; ++s) sums[s] += a_row[k + s] * b_row[k + s];
      }
      for (int s = 0; k < a.cols; ++k, ++s) sums[s] += a_row[k] * b_row[k];
      //! [hole-dot]

      //! [hole-store]
      // Add up the partial sums, in pairs, and write the element of C.
      c(i, j) =
          ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
      //! [hole-store]
    }
  }
}

}  // namespace tut::ch01
