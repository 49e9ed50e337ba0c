#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "extreme_matrices.hpp"
#include "tut/testing/host_matmul_test.hpp"
#include "tut/testing/matmul_corners.hpp"

namespace tut::ch01 {
namespace {

std::int64_t transposed_stride(MatrixView<const float> b) { return b.stride - b.cols + b.rows; }

// The battery multiplies by B (K, N); the function under test gets its transpose, with padding
// where B has some, in memory that ends with its last element.
void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  Guarded<float> transposed(b.cols, b.rows, transposed_stride(b), 0);
  transposed.set(make_matrix<float>(b.cols, b.rows, [&](int j, int k) { return b(k, j); }));
  const Guarded<float> before = transposed;
  const PageEndMatrix<float> at_end(transposed.cview());
  matmul_transposed_b(a, at_end.cview(), c);
  at_end.refuse_use_past_end("B");
  at_end.copy_to(transposed.view().data);
  const std::string change = transposed.change(before, "B", false);
  if (!change.empty()) throw CallFailure("values", change);
}

// The same call; failures name the function under test.
MatmulRun<float, float> multiply_run() {
  MatmulRun<float, float> run = host_run<float, float>(multiply);
  run.transposed = 'B';
  run.transposed_stride = [](const Guarded<float>& b) { return transposed_stride(b.cview()); };
  return run;
}

}  // namespace

TEST_CASE("matmul_transposed_b computes C = A B^T") {
  MatmulTestOptions options{.shapes = matmul_shapes(8)};
  options.shapes.push_back({5, 7, 1031});
  options.shapes.push_back({6, 10, 14});
  for (int k = 1; k <= 17; ++k) options.shapes.push_back({3, 6, k});
  expect(run_matmul_battery<float, float>(multiply_run(), options));
}

TEST_CASE("matmul_transposed_b with long rows, and with many") {
  expect(long_shapes_outcome(multiply));
  expect(second_call_outcome(multiply));
  expect(same_memory_outcome(matmul_transposed_b, true));
}

TEST_CASE("matmul_transposed_b with rows that lie far apart") {
  expect(far_rows_outcome(matmul_transposed_b, true));
}

TEST_CASE("matmul_transposed_b with infinities, NaN and zeros") {
  expect(special_values_outcome(multiply));
  expect(matmul_corners_outcome(multiply_run()));
}

TEST_CASE("matmul_transposed_b wants B as (N, K)") {
  HostMatrix<float> a(2, 3), b(3, 4), c(2, 4);
  CHECK_THROWS_AS(matmul_transposed_b(a.cview(), b.cview(), c.view()), std::invalid_argument);
  expect(empty_matrices_outcome(matmul_transposed_b, true));
  expect(short_strides_outcome(matmul_transposed_b, true));
}

TEST_CASE("matmul_transposed_b writes each element of C once") {
  expect(written_once_outcome(matmul_transposed_b, true));
}

}  // namespace tut::ch01
