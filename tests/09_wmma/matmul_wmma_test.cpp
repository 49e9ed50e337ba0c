#include "09_wmma/matmul_wmma.hpp"

#include <doctest/doctest.h>

#include "tensor_core_case.hpp"

TEST_CASE_TEMPLATE("matmul_wmma computes C = AB", T, __half, __nv_bfloat16) {
  tut::ch09::test_tensor_matmul<T>("matmul_wmma", tut::ch09::matmul_wmma, tut::matmul_shapes(16));
}
