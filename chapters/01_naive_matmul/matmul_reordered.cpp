#include "01_naive_matmul/matmul_reordered.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void matmul_reordered(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  //! [loops]
  for (int i = 0; i < c.rows; ++i) {
    float* __restrict c_row = &c(i, 0);
    std::fill_n(c_row, c.cols, 0.0f);
    for (int k = 0; k < a.cols; ++k) {
      const float a_ik = a(i, k);
      const float* b_row = &b(k, 0);
      for (int j = 0; j < c.cols; ++j) c_row[j] += a_ik * b_row[j];
    }
  }
  //! [loops]
}

}  // namespace tut::ch01
