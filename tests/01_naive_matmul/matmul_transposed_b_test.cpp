#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "extreme_matrices.hpp"
#include "tut/host_matmul_test.hpp"

namespace tut::ch01 {
namespace {

// The battery multiplies by B (K, N); the function under test gets its transpose, with padding.
void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  HostMatrix<float> transposed(b.cols, b.rows, b.rows + 3);
  for (int k = 0; k < b.rows; ++k) {
    for (int j = 0; j < b.cols; ++j) transposed(j, k) = b(k, j);
  }
  matmul_transposed_b(a, transposed.cview(), c);
}

}  // namespace

TEST_CASE("matmul_transposed_b computes C = A B^T") {
  MatmulTestOptions options{.shapes = matmul_shapes(8)};
  options.shapes.push_back({5, 7, 1031});
  expect(matmul_outcome<float, float>(multiply, options));
}

TEST_CASE("matmul_transposed_b with long rows, and with many") {
  expect(long_shapes_outcome(multiply));
}

TEST_CASE("matmul_transposed_b with rows that lie far apart") {
  expect(far_rows_outcome(matmul_transposed_b, true));
}

TEST_CASE("matmul_transposed_b with infinities, NaN and zeros") {
  expect(special_values_outcome(multiply));
}

TEST_CASE("matmul_transposed_b wants B as (N, K)") {
  HostMatrix<float> a(2, 3), b(3, 4), c(2, 4);
  CHECK_THROWS_AS(matmul_transposed_b(a.cview(), b.cview(), c.view()), std::invalid_argument);
}

}  // namespace tut::ch01
