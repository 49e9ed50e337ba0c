#include "11_hopper/matmul_descriptor.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {

TEST_CASE("matmul_descriptor computes C = AB^T") {
  std::vector<MatmulShape> shapes = matmul_shapes(64, 128, 32);
  // Two steps of k, so that the barrier's parity turns, and many.
  for (const int k : {64, 96, 9 * 32 + 8}) shapes.push_back({40, 72, k});
  test_values("matmul_descriptor", matmul_descriptor, shapes);
}

TEST_CASE("matmul_descriptor passes infinities on, and refuses what does not fit") {
  test_ends("matmul_descriptor", matmul_descriptor);
}

TEST_CASE("budget") {
  if (!can_run("matmul_descriptor")) return;
  test_budget("matmul_descriptor", matmul_descriptor, {128, 256, 256});
}

}  // namespace tut::ch11
