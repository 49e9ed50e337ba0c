#include "10_mma_pipelines/matmul_mma.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

TEST_CASE_TEMPLATE("matmul_mma computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_mma", tut::ch10::matmul_mma, tut::matmul_shapes(64, 64, 64));
}
