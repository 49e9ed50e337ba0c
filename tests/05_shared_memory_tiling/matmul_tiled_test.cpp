#include "05_shared_memory_tiling/matmul_tiled.hpp"

#include <doctest/doctest.h>

#include "tut/testing/matmul_test.hpp"

TEST_CASE("matmul_tiled computes C = AB") {
  tut::test_matmul(tut::ch05::matmul_tiled, {.shapes = tut::matmul_shapes(32)});
}
