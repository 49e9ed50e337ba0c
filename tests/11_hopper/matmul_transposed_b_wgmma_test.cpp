#include "11_hopper/matmul_transposed_b_wgmma.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {

TEST_CASE("matmul_transposed_b_wgmma computes C = AB") {
  std::vector<MatmulShape> shapes = matmul_shapes(64, 128, 64);
  // Two steps of k, so that the barrier's parity turns, and many.
  for (const int k : {128, 192, 5 * 64 + 8}) shapes.push_back({40, 72, k});
  test_values("matmul_transposed_b_wgmma", matmul_transposed_b_wgmma, shapes,
              SecondFactor::as_it_is);
}

TEST_CASE("matmul_transposed_b_wgmma passes infinities on, and refuses what does not fit") {
  test_ends("matmul_transposed_b_wgmma", matmul_transposed_b_wgmma, SecondFactor::as_it_is);
}

TEST_CASE("budget") {
  if (!can_run("matmul_transposed_b_wgmma")) return;
  test_budget("matmul_transposed_b_wgmma", matmul_transposed_b_wgmma, {128, 256, 256},
              SecondFactor::as_it_is);
}

}  // namespace tut::ch11
