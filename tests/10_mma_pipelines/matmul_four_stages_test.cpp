#include "10_mma_pipelines/matmul_four_stages.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

namespace tut::ch10 {

TEST_CASE("matmul_four_stages computes C = AB") {
  // Also fewer steps of k than stages, as many, one more, and so many that each is used again.
  std::vector<MatmulShape> shapes = matmul_shapes(64, 64, 64);
  for (const int k : {128, 192, 256, 320, 9 * 64 + 8}) shapes.push_back({40, 72, k});
  test_values<__nv_bfloat16>("matmul_four_stages", matmul_four_stages, shapes);
}

TEST_CASE(
    "matmul_four_stages passes infinities on, reaches all of C, and refuses what does not fit") {
  test_ends<__nv_bfloat16>("matmul_four_stages", matmul_four_stages, Turned::none);
}

TEST_CASE("budget") {
  // Which tiles of 128 divide.
  test_budget<__nv_bfloat16>("matmul_four_stages", matmul_four_stages, {128, 256, 256},
                             Turned::none);
}

}  // namespace tut::ch10
