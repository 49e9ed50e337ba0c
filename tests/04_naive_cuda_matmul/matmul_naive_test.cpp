#include <doctest/doctest.h>

#include "04_naive_cuda_matmul/matmul_coalesced.hpp"
#include "04_naive_cuda_matmul/matmul_uncoalesced.hpp"
#include "tut/testing/matmul_test.hpp"

TEST_CASE("matmul_coalesced computes C = AB") {
  tut::test_matmul(tut::ch04::matmul_coalesced, {.shapes = tut::matmul_shapes(32)});
}

TEST_CASE("matmul_uncoalesced computes C = AB") {
  tut::test_matmul(tut::ch04::matmul_uncoalesced, {.shapes = tut::matmul_shapes(32)});
}
