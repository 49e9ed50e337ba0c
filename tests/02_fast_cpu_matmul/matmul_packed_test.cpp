#include "02_fast_cpu_matmul/matmul_packed.hpp"

#include <doctest/doctest.h>

#include "tut/testing/host_matmul_test.hpp"

TEST_CASE("matmul_packed computes C = AB") {
  tut::MatmulTestOptions options{.shapes = tut::matmul_shapes(16)};
  // Past a block of every direction.
  for (const tut::MatmulShape& shape : {tut::MatmulShape{197, 5, 3}, {3, 530, 130}, {7, 3, 1031}}) {
    options.shapes.push_back(shape);
  }
  tut::test_matmul(tut::ch02::matmul_packed, options);
}
