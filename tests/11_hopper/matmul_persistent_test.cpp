#include "11_hopper/matmul_persistent.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {
namespace {

std::vector<MatmulShape> shapes() {
  std::vector<MatmulShape> all = matmul_shapes(128, 256, 64);
  // As many steps of k as there are stages, one less and more, and so many that each stage is used
  // several times.
  for (const int k : {192, 256, 320, 9 * 64 + 8}) all.push_back({100, 72, k});
  // More tiles than multiprocessors, in an order that is not that of rows, with few steps each: the
  // stages' uses go on from tile to tile.
  all.push_back({1000, 600, 72});
  all.push_back({130, 2300, 200});
  return all;
}

}  // namespace

TEST_CASE("matmul_persistent computes C = AB^T") {
  test_worked("matmul_persistent", matmul_persistent, shapes());
}

TEST_CASE("matmul_persistent passes infinities and NaN on, and refuses what does not fit") {
  test_ends("matmul_persistent", matmul_persistent);
}

}  // namespace tut::ch11
