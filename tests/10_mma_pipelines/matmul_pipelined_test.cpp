#include "10_mma_pipelines/matmul_pipelined.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

namespace {

// Besides the shapes around one tile: as many steps of k as there are stages, one less and more,
// and so many that each stage is used several times. Rows for more than one group of blocks.
std::vector<tut::MatmulShape> shapes() {
  std::vector<tut::MatmulShape> all = tut::matmul_shapes(128, 256, 64);
  for (const int k : {128, 192, 256, 8 * 64 + 8}) all.push_back({100, 72, k});
  all.push_back({17 * 128 + 1, 260, 16});
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("matmul_pipelined computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_pipelined", tut::ch10::matmul_pipelined, shapes());
}

TEST_CASE_TEMPLATE("matmul_pipelined passes infinities and NaN on", T, __half, __nv_bfloat16) {
  if (!tut::ch10::can_run("matmul_pipelined")) return;
  tut::expect(
      tut::ch09::special_values_outcome<T>(tut::ch10::run_of<T>(tut::ch10::matmul_pipelined)));
}
