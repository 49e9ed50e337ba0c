#include "11_hopper/matmul_clusters.hpp"

#include <doctest/doctest.h>

#include "hopper_case.hpp"

namespace tut::ch11 {
namespace {

std::vector<MatmulShape> shapes() {
  std::vector<MatmulShape> all = matmul_shapes(128, 256, 64);
  // As many steps of k as there are stages, one less and more, and so many that each stage is used
  // several times.
  for (const int k : {192, 256, 320, 9 * 64 + 8}) all.push_back({100, 72, k});
  // More pairs of tiles than pairs of multiprocessors, with few steps each: the stages' uses go on
  // from pair to pair. And such as leave the last pair's second block without rows.
  all.push_back({1000, 600, 72});
  all.push_back({300, 1100, 200});
  return all;
}

}  // namespace

TEST_CASE("matmul_clusters computes C = AB^T") {
  test_worked("matmul_clusters", matmul_clusters, shapes());
}

TEST_CASE("matmul_clusters passes infinities and NaN on, and refuses what does not fit") {
  test_ends("matmul_clusters", matmul_clusters);
}

}  // namespace tut::ch11
