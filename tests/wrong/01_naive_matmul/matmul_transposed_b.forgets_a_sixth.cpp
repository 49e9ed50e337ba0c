// fails: values
// says: 14
// The rest of a row has a case for each length, and that of six leaves out a term.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows, "shapes do not fit");
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      float s[8] = {};
      int k = 0;
      for (; k + 8 <= a.cols; k += 8) {
        for (int p = 0; p < 8; ++p) s[p] += a(i, k + p) * b(j, k + p);
      }
      const auto term = [&](int p) { s[p] += a(i, k + p) * b(j, k + p); };
      switch (a.cols - k) {
        case 1:
          term(0);
          break;
        case 2:
          term(0);
          term(1);
          break;
        case 3:
          term(0);
          term(1);
          term(2);
          break;
        case 4:
          term(0);
          term(1);
          term(2);
          term(3);
          break;
        case 5:
          term(0);
          term(1);
          term(2);
          term(3);
          term(4);
          break;
        case 6:
          term(0);
          term(1);
          term(2);
          term(3);
          term(4);
          break;
        case 7:
          term(0);
          term(1);
          term(2);
          term(3);
          term(4);
          term(5);
          term(6);
          break;
        default:
          break;
      }
      c(i, j) = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    }
  }
}

}  // namespace tut::ch01
