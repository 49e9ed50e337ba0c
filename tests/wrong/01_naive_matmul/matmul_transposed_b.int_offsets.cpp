// fails: overflow
// Strides of 64 bits and a row's number make an offset that int does not hold.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include "tut/require.hpp"

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows,
          {"A is ", shape_part(a), ", B is ", shape_part(b), ", C is ", shape_part(c),
           "; expected (M, K), (N, K) and (M, N)"});

  const int stride = static_cast<int>(b.stride);
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      const float* a_row = &a(i, 0);
      const float* b_row = b.data + j * stride;
      float sums[8] = {};
      for (int k = 0; k < a.cols; ++k) sums[k % 8] += a_row[k] * b_row[k];
      c(i, j) =
          ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    }
  }
}

}  // namespace tut::ch01
