#include "09_wmma/matmul_wmma_tiled.hpp"

#include <doctest/doctest.h>

#include "tensor_core_case.hpp"

namespace {

// Besides the shapes around one tile: steps of k around the number of stages, and a long k, in
// which every stage is used several times.
std::vector<tut::MatmulShape> shapes() {
  std::vector<tut::MatmulShape> all = tut::matmul_shapes(128, 256, 32);
  all.push_back({64, 64, 64});
  all.push_back({100, 72, 8 * 32 + 8});
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("matmul_wmma_tiled computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch09::test_tensor_matmul<T>("matmul_wmma_tiled", tut::ch09::matmul_wmma_tiled, shapes());
}

TEST_CASE_TEMPLATE("matmul_wmma_two_stages computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch09::test_tensor_matmul<T>("matmul_wmma_two_stages", tut::ch09::matmul_wmma_two_stages,
                                   shapes());
}
