#include "10_mma_pipelines/matmul_swizzled.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

TEST_CASE_TEMPLATE("matmul_swizzled computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch10::test_values<T>("matmul_swizzled", tut::ch10::matmul_swizzled,
                            tut::matmul_shapes(64, 64, 64));
}
