// fails: values
// says: an element of C was written
// K is cut into pieces of 512, and each adds its part to the element in C.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch01 {
namespace {

// The dot product of two stretches of `count` floats, in eight sums that do not wait for each
// other.
float dot(const float* x, const float* y, int count) {
  float sums[8] = {};
  int k = 0;
  for (; k + 8 <= count; k += 8) {
    for (int s = 0; s < 8; ++s) sums[s] += x[k + s] * y[k + s];
  }
  for (int s = 0; k + s < count; ++s) sums[s] += x[k + s] * y[k + s];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
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

  // A stretch of a row of A stays in the first cache while all rows of B pass by.
  constexpr int DEPTH = 512;
  for (int k0 = 0; k0 < a.cols; k0 += DEPTH) {
    const int count = std::min(DEPTH, a.cols - k0);
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) {
        const float part = dot(&a(i, k0), &b(j, k0), count);
        c(i, j) = k0 == 0 ? part : c(i, j) + part;
      }
    }
  }
}

}  // namespace tut::ch01
