#include "07_register_tiling/matmul_register_column.hpp"

#include <doctest/doctest.h>

#include "step_case.hpp"

TEST_CASE("matmul_register_column computes C = AB") {
  tut::ch07::test_step(tut::ch07::matmul_register_column,
                       {.shapes = tut::matmul_shapes(64, 64, 8)});
}
