// fails: values
// says: expected NaN
// Leaves out what is multiplied by 0, also where that is infinite.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include "tut/require.hpp"

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows,
          {"A is ", shape_part(a), ", B is ", shape_part(b), ", C is ", shape_part(c),
           "; expected (M, K), (N, K) and (M, N)"});

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      const float* a_row = &a(i, 0);
      const float* b_row = &b(j, 0);
      // Add the products a_row[k] * b_row[k] of all k to eight partial sums: element k belongs to
      // sum k % 8. A single sum would make each addition wait for the one before; eight do not
      // wait for each other. Mind the last elements when 8 does not divide a.cols.
      float sums[8] = {};
      int k = 0;
      for (; k + 8 <= a.cols; k += 8) {
        for (int s = 0; s < 8; ++s) {
          if (a_row[k + s] != 0.0f) sums[s] += a_row[k + s] * b_row[k + s];
        }
      }
      for (int s = 0; k < a.cols; ++k, ++s) sums[s] += a_row[k] * b_row[k];

      // Add up the partial sums, in pairs, and write the element of C.
      c(i, j) =
          ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    }
  }
}

}  // namespace tut::ch01
