#include "07_register_tiling/matmul_register_tile.hpp"

#include <doctest/doctest.h>

#include "step_case.hpp"

TEST_CASE("matmul_register_tile computes C = AB") {
  tut::ch07::test_step(tut::ch07::matmul_register_tile,
                       {.shapes = tut::matmul_shapes(128, 128, 8)});
}
