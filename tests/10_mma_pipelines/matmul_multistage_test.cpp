#include "10_mma_pipelines/matmul_multistage.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

namespace {

// Besides the shapes around one tile: as many steps of k as there are stages, one less and more,
// and so many that each stage is used several times.
std::vector<tut::MatmulShape> shapes() {
  std::vector<tut::MatmulShape> all = tut::matmul_shapes(128, 128, 64);
  for (const int k : {128, 192, 256, 8 * 64 + 8}) all.push_back({100, 72, k});
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("matmul_multistage computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_multistage", tut::ch10::matmul_multistage, shapes());
}

TEST_CASE_TEMPLATE("matmul_two_stages computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_two_stages", tut::ch10::matmul_two_stages, shapes());
}
