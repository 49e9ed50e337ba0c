#include "05_shared_memory_tiling/matmul_padded.hpp"

#include <doctest/doctest.h>

#include "../far_tiles.hpp"
#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/testing/matmul_corners.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch05 {
namespace {

void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  const auto call = [](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
                       MatrixView<float> cv) { matmul_padded(av, bv, cv, stream); };
  run_on_images({.most_launches = 1}, call, a, b, c);
}

}  // namespace

TEST_CASE("matmul_padded computes C = AB") {
  test_matmul(matmul_padded, {.shapes = matmul_shapes(32)});
}

TEST_CASE("matmul_padded takes long matrices, at any address, NaN and infinity") {
  expect(matmul_corners_outcome(run));
}

TEST_CASE("matmul_padded takes whole tiles in rows that lie far apart, and many of them") {
  expect(far_tiles_outcome(matmul_padded));
  expect(many_tiles_outcome(matmul_padded));
}

TEST_CASE("matmul_padded reaches all of a large C") {
  expect(matmul_reach_outcome(matmul_padded, 2200, [](const MatmulShape& shape) {
    return detail::run_case<float, float>(run, shape, MatmulInputs::dense_random, {});
  }));
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};
  expect_product_budget(
      "matmul_padded", kShape, [](const MatmulShape& s) { return s.m * s.n * (s.k / 4.0 + 4); }, 32,
      run);
}

}  // namespace tut::ch05
