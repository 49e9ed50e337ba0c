// fails: values
// says: A and B begin at one address
// Where A and B begin at one address, with one stride, only half of C is computed: as if they had
// as many rows, too.
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

  const bool is_square_of_a = a.data == b.data && a.stride == b.stride;
  for (int i = 0; i < c.rows; ++i) {
    for (int j = is_square_of_a ? i : 0; j < c.cols; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(j, k);
      c(i, j) = sum;
      if (is_square_of_a && j < c.rows && i < c.cols) c(j, i) = sum;
    }
  }
}

}  // namespace tut::ch01
