#include "11_hopper/matmul_stages_specialised.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {

TEST_CASE("matmul_stages_specialised computes C = AB^T") {
  std::vector<MatmulShape> shapes = matmul_shapes(64, 128, 64);
  // Also fewer steps of k than stages, as many, one more, and so many that each is used again.
  for (const int k : {128, 192, 256, 9 * 64 + 8}) shapes.push_back({40, 72, k});
  test_values("matmul_stages_specialised", matmul_stages_specialised, shapes);
}

TEST_CASE("matmul_stages_specialised passes infinities on, and refuses what does not fit") {
  test_ends("matmul_stages_specialised", matmul_stages_specialised);
}

TEST_CASE("budget") {
  if (!can_run("matmul_stages_specialised")) return;
  test_budget("matmul_stages_specialised", matmul_stages_specialised, {128, 256, 256});
}

}  // namespace tut::ch11
