#include "07_register_tiling/matmul_three_stages.hpp"

#include <doctest/doctest.h>

#include "exercise_case.hpp"
#include "step_case.hpp"

namespace tut::ch07 {

TEST_CASE("matmul_three_stages computes C = AB") {
  // One step of k, two, three and many.
  MatmulTestOptions options{.shapes = matmul_shapes(64, 64, 48)};
  options.shapes.push_back({64, 64, 16});
  options.shapes.push_back({64, 64, 32});
  test_step(matmul_three_stages, options);
}

TEST_CASE("matmul_three_stages of odd places, long shapes, infinities and NaN") {
  test_beyond_the_battery(run_of(matmul_three_stages));
}

TEST_CASE("matmul_three_stages of whole tiles in rows that lie far apart") {
  expect(far_tiles_outcome(matmul_three_stages));
}

TEST_CASE("matmul_three_stages reaches all of a large C") {
  test_reach(matmul_three_stages, run_of(matmul_three_stages));
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 96;
  expect_product_budget(
      "matmul_three_stages", {M, N, K},
      [](const MatmulShape& s) { return s.m * s.n * (s.k / 8.0 + 4); }, 64,
      run_of(matmul_three_stages));
  // A shape that taller tiles divide, too.
  expect_words({128, N, K}, kFourByFour, [] {
    return longer_rows_outcome(run_of(matmul_three_stages), {128, N, K}, {});
  });
}

}  // namespace tut::ch07
