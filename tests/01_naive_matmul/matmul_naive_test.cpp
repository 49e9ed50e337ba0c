#include "01_naive_matmul/matmul_naive.hpp"

#include <doctest/doctest.h>

#include "tut/testing/host_matmul_test.hpp"

TEST_CASE("matmul_naive computes C = AB") { tut::test_matmul(tut::ch01::matmul_naive); }
