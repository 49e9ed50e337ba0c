#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../far_tiles.hpp"
#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/testing/matmul_corners.hpp"
#include "tut/testing/matmul_test.hpp"
#include "tut/trial/call_failure.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/grid_reach.hpp"
#include "tut/trial/recorded_call.hpp"

namespace tut::ch05 {
namespace {

void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  const auto call = [](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
                       MatrixView<float> cv) { matmul_rectangular(av, bv, cv, stream); };
  run_on_images({.most_launches = 1}, call, a, b, c);
}

}  // namespace

TEST_CASE("matmul_rectangular computes C = AB") {
  test_matmul(matmul_rectangular, {.shapes = matmul_shapes(8, 32, 32)});
}

TEST_CASE("matmul_rectangular takes long matrices, at any address, NaN and infinity") {
  expect(matmul_corners_outcome(run));
}

TEST_CASE("matmul_rectangular takes whole tiles in rows that lie far apart, and many of them") {
  expect(far_tiles_outcome(matmul_rectangular));
  expect(many_tiles_outcome(matmul_rectangular));
}

TEST_CASE("matmul_rectangular reaches all of a large C") {
  expect(matmul_reach_outcome(matmul_rectangular, 2200, [](const MatmulShape& shape) {
    return detail::run_case<float, float>(run, shape, MatmulInputs::dense_random, {});
  }));
}

TEST_CASE("matmul_rectangular has a block of 256 threads for each tile of 8 x 32") {
  const LongBuffer<float> a, b, c;
  const Outcome outcome = outcome_of_call("20x5 * 5x70, recorded and not run", [&] {
    const RecordedCall recorded([&](cudaStream_t stream) {
      matmul_rectangular({a.data(), 20, 5, 5}, {b.data(), 5, 70, 70}, {c.data(), 20, 70, 70},
                         stream);
    });
    for (const auto& [grid, block] : recorded.launches()) {
      const unsigned blocks = grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
      if (blocks == 9 && threads == 256) continue;
      throw CallFailure("values", "there are " + std::to_string(blocks) + " blocks of " +
                                      std::to_string(threads) +
                                      " threads; expected 9 of 256, one for each tile of 8 x 32");
    }
  });
  expect(outcome);
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};
  expect_product_budget(
      "matmul_rectangular", kShape,
      [](const MatmulShape& s) { return s.m * s.n * (5.0 * s.k / 8 + 4); }, 32, run);
}

}  // namespace tut::ch05
