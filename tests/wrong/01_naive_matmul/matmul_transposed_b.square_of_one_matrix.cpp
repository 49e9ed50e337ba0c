// fails: values
// Takes two matrices for one where they begin at one address.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {
namespace {

float dot(const float* x, const float* y, int count) {
  float sum[8] = {};
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    for (int s = 0; s < 8; ++s) sum[s] += x[k + s] * y[k + s];
  }
  for (int s = 0; k < count; ++k, ++s) sum[s] += x[k] * y[k];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

}  // namespace

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows,
          {"A is ", shape_part(a), ", B is ", shape_part(b), ", C is ", shape_part(c),
           "; expected (M, K), (N, K) and (M, N)"});
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");

  // A A^T is symmetric: half of the dot products will do.
  const bool symmetric = a.data == b.data && a.rows == b.rows;
  for (int i = 0; i < c.rows; ++i) {
    const float* a_row = &a(i, 0);
    for (int j = symmetric ? i : 0; j < c.cols; ++j) {
      const float sum = dot(a_row, &b(j, 0), a.cols);
      c(i, j) = sum;
      if (symmetric && j != i) c(j, i) = sum;
    }
  }
}

}  // namespace tut::ch01
