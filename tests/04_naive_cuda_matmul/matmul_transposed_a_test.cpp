#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "../far_transposed_a.hpp"
#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "transposed_image.hpp"
#include "tut/testing/matmul_corners.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch04 {
namespace {

void multiply(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  Guarded<float> at = transposed_image(a);
  const Guarded<float> at_before = at;
  run_if_fits(
      detail::shapes_fit(a, b, c), {.most_launches = 1},
      [](cudaStream_t stream, MatrixView<const float> view_at, MatrixView<const float> view_b,
         MatrixView<float> view_c) { matmul_transposed_a(view_at, view_b, view_c, stream); },
      at, b, c);
  if (const std::string change = at.change(at_before, "A", false); !change.empty()) {
    throw std::runtime_error(change);
  }
}

const MatmulRun<float, float> run_transposed_a = [] {
  MatmulRun<float, float> run = multiply;
  run.transposed = 'A';
  run.transposed_stride = transposed_stride;
  return run;
}();

}  // namespace

TEST_CASE("matmul_transposed_a computes the product of A transposed and B") {
  MatmulTestOptions options;
  options.shapes = matmul_shapes(32);
  expect(run_matmul_battery<float, float>(run_transposed_a, options));
}

TEST_CASE("matmul_transposed_a takes long matrices, at any address, NaN and infinity") {
  expect(matmul_corners_outcome(run_transposed_a,
                                {.long_shapes = {{1, 70000, 2}, {70000, 1, 2}, {2, 3, 5000}}}));
}

TEST_CASE("matmul_transposed_a takes rows that are far apart") {
  expect(far_transposed_a_outcome(matmul_transposed_a));
}

TEST_CASE("matmul_transposed_a reaches all of a large C") {
  // A column of A transposed is a row.
  const auto of_column = [](MatrixView<const float> a, MatrixView<const float> b,
                            MatrixView<float> c, cudaStream_t stream) {
    matmul_transposed_a({a.data, 1, a.rows, a.rows}, b, c, stream);
  };
  const auto values = [](const MatmulShape& shape) {
    return detail::run_case<float, float>(run_transposed_a, shape, MatmulInputs::dense_random, {});
  };
  expect(matmul_reach_outcome(of_column, 70000, values));
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};
  expect_product_budget(
      "matmul_transposed_a", kShape,
      [](const MatmulShape& s) { return s.m * s.n * (5.0 * s.k + 4); }, 32, run_transposed_a);
}

}  // namespace tut::ch04
