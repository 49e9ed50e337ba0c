#include "07_register_tiling/matmul_warp_tiled.hpp"

#include <doctest/doctest.h>

#include "step_case.hpp"

TEST_CASE("matmul_warp_tiled computes C = AB") {
  tut::ch07::test_step(tut::ch07::matmul_warp_tiled, {.shapes = tut::matmul_shapes(128, 128, 16)});
}
