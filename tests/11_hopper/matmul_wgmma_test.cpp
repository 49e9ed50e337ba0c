#include "11_hopper/matmul_wgmma.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {
namespace {

std::vector<MatmulShape> shapes() {
  std::vector<MatmulShape> all = matmul_shapes(64, 128, 64);
  // Steps of k: two, so that the barrier's parity turns, and many.
  for (const int k : {128, 192, 9 * 64 + 8}) all.push_back({40, 72, k});
  return all;
}

}  // namespace

TEST_CASE("matmul_wgmma computes C = AB^T") { test_worked("matmul_wgmma", matmul_wgmma, shapes()); }

TEST_CASE("matmul_wgmma passes infinities and NaN on, and refuses what does not fit") {
  test_ends("matmul_wgmma", matmul_wgmma);
}

}  // namespace tut::ch11
