#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include <doctest/doctest.h>

#include "tut/matmul_test.hpp"

TEST_CASE("matmul_rectangular computes C = AB") {
  tut::test_matmul(tut::ch05::matmul_rectangular, {.shapes = tut::matmul_shapes(8, 32, 32)});
}
