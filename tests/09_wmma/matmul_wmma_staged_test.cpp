#include "09_wmma/matmul_wmma_staged.hpp"

#include <doctest/doctest.h>

#include "tensor_core_case.hpp"

TEST_CASE_TEMPLATE("matmul_wmma_staged computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch09::test_tensor_matmul<T>("matmul_wmma_staged", tut::ch09::matmul_wmma_staged,
                                   tut::matmul_shapes(64, 64, 32));
}
