#include "10_mma_pipelines/matmul_ldmatrix.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

TEST_CASE_TEMPLATE("matmul_ldmatrix computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_ldmatrix", tut::ch10::matmul_ldmatrix,
                            tut::matmul_shapes(64, 64, 64));
}

TEST_CASE_TEMPLATE("matmul_ldmatrix_unpadded computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_ldmatrix_unpadded", tut::ch10::matmul_ldmatrix_unpadded,
                            tut::matmul_shapes(64, 64, 64));
}
