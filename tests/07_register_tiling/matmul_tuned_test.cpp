#include "07_register_tiling/matmul_tuned.hpp"

#include <doctest/doctest.h>

#include "step_case.hpp"

TEST_CASE("matmul_tuned computes C = AB") {
  tut::ch07::test_step(tut::ch07::matmul_tuned, {.shapes = tut::matmul_shapes(128, 128, 40)});
}
