// fails: values
// Sums of subnormal numbers are 0.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <xmmintrin.h>

#include "tut/errors/require.hpp"

namespace tut::ch01 {
namespace {

/// Keeps the multiplications at full speed whatever the values, and puts the caller's mode back.
class FastArithmetic {
 public:
  FastArithmetic() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | _MM_FLUSH_ZERO_ON); }
  ~FastArithmetic() { _mm_setcsr(saved_); }
  FastArithmetic(const FastArithmetic&) = delete;
  FastArithmetic& operator=(const FastArithmetic&) = delete;

 private:
  unsigned saved_;
};

}  // namespace

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows,
          {"A is ", shape_part(a), ", B is ", shape_part(b), ", C is ", shape_part(c),
           "; expected (M, K), (N, K) and (M, N)"});
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");

  const FastArithmetic fast;
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      const float* a_row = &a(i, 0);
      const float* b_row = &b(j, 0);
      float sum[8] = {};
      const int tail = a.cols % 8, whole = a.cols - tail;
      for (int k = 0; k < whole; k += 8) {
        for (int s = 0; s < 8; ++s) sum[s] += a_row[k + s] * b_row[k + s];
      }
      for (int s = 0; s < tail; ++s) sum[s] += a_row[whole + s] * b_row[whole + s];

      const float low = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      const float high = (sum[4] + sum[5]) + (sum[6] + sum[7]);
      c(i, j) = low + high;
    }
  }
}

}  // namespace tut::ch01
