#include "11_hopper/matmul_specialised.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {
namespace {

std::vector<MatmulShape> shapes() {
  std::vector<MatmulShape> all = matmul_shapes(128, 256, 64);
  // As many steps of k as there are stages, one less and more, and so many that each stage is used
  // several times.
  for (const int k : {192, 256, 320, 9 * 64 + 8}) all.push_back({100, 72, k});
  return all;
}

}  // namespace

TEST_CASE("matmul_specialised computes C = AB^T") {
  test_worked("matmul_specialised", matmul_specialised, shapes());
}

TEST_CASE("matmul_specialised passes infinities and NaN on, and refuses what does not fit") {
  test_ends("matmul_specialised", matmul_specialised);
}

}  // namespace tut::ch11
