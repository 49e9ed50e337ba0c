#include "05_shared_memory_tiling/matmul_padded.hpp"

#include <doctest/doctest.h>

#include "tut/matmul_test.hpp"

TEST_CASE("matmul_padded computes C = AB") {
  tut::test_matmul(tut::ch05::matmul_padded, {.shapes = tut::matmul_shapes(32)});
}
