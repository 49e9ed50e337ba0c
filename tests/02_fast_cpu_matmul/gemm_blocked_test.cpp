#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "../01_naive_matmul/gemm_case.hpp"
#include "tut/host_matmul_test.hpp"

namespace tut::ch02 {
namespace {

void product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  gemm_blocked(1, a, b, 0, c);
}

// How often C is written, anew after a look at A or B: once a block.
Outcome blocks_outcome() {
  constexpr int M = 64, N = 64, K = 700, LEAST = 16;
  WatchedOutput c(M, N);
  const MatrixView<const float> a{c.add_input(std::size_t{M} * K), M, K, K},
      b{c.add_input(std::size_t{K} * N), K, N, N};
  c.watch([&] { gemm_blocked(-2.5f, a, b, -0.75f, c.view()); });
  const std::string text = " (C is 64x64, K is 700)";
  if (c.writes() > M * N / LEAST) {
    return failure("values", "C was written " + std::to_string(c.writes()) +
                                 " times or more, anew after a look at A or B; expected at most " +
                                 std::to_string(M * N / LEAST) +
                                 ": a block of 16 elements or more is finished, over all of K, "
                                 "before it is written" +
                                 text);
  }
  if (c.was_shared()) {
    return failure("values", "another thread works, too; expected one core" + text);
  }
  return {};
}

void scaled_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  gemm_blocked(-2.5f, a, b, -0.75f, c);
}

}  // namespace

TEST_CASE("gemm_blocked with alpha = 1 and beta = 0 computes C = A B, whatever C held") {
  expect(matmul_outcome<float, float>(product, {.shapes = matmul_shapes(32, 64, 64)}));
}

TEST_CASE("gemm_blocked computes alpha A B + beta C") {
  for (const MatmulShape& shape : {MatmulShape{1, 1, 1},
                                   {17, 13, 19},
                                   {40, 33, 7},
                                   {3, 50, 128},
                                   {70, 130, 150},
                                   {5, 6, 1100},
                                   {5, 1100, 6},
                                   {1100, 6, 5}}) {
    for (const float beta : {0.0f, 1.0f, -0.75f}) {
      expect(ch01::gemm_outcome(gemm_blocked, -2.5f, beta, shape));
      expect(ch01::gemm_outcome(gemm_blocked, 0.0f, beta, shape));
    }
  }
}

TEST_CASE("gemm_blocked with factors and values that are large, small or infinite") {
  const MatmulShape shape{17, 33, 19};
  expect(ch01::gemm_outcome(gemm_blocked, 70000.0f, 1e-6f, shape));
  expect(ch01::gemm_outcome(gemm_blocked, 1.0f, -0.0f, shape));
  ch01::expect_gemm_extremes(gemm_blocked);
  expect(ch01::special_values_outcome(product));
}

TEST_CASE("gemm_blocked finishes a block of C before it writes it, once") {
  expect(blocks_outcome());
  for (const auto& function : {product, scaled_product}) {
    expect(ch01::written_once_outcome(function));
  }
}

TEST_CASE("gemm_blocked with one long side, and with rows that lie far apart") {
  expect(ch01::long_shapes_outcome(product));
  expect(ch01::second_call_outcome(product));
  expect(ch01::same_memory_outcome(product));
  expect(ch01::far_rows_outcome(product));
  expect(ch01::gemm_far_rows_outcome(gemm_blocked));
}

TEST_CASE("gemm_blocked refuses what does not fit, whatever the factors") {
  expect(ch01::gemm_refusals_outcome(gemm_blocked));
}

}  // namespace tut::ch02
