#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "../01_naive_matmul/gemm_case.hpp"
#include "tut/testing/host_matmul_test.hpp"
#include "tut/testing/matmul_corners.hpp"

namespace tut::ch02 {
namespace {

void product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  gemm_blocked(1, a, b, 0, c);
}

// How often C is written, again after reading A or B: once a block. `least`: elements of a block.
Outcome blocks_outcome(const MatmulShape& shape, int least) {
  const auto [m, n, k] = shape;
  WatchedOutput c(m, n);
  const auto floats = [](int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  };
  const MatrixView<const float> a{c.add_input(floats(m, k)), m, k, k},
      b{c.add_input(floats(k, n)), k, n, n};
  c.watch([&] { gemm_blocked(-2.5f, a, b, -0.75f, c.view()); });
  const std::string text = " (" + shape_text(shape) + ")";
  if (c.writes() > m * n / least) {
    return failure("values", "C was written " + std::to_string(c.writes()) +
                                 " times or more, again after reading A or B; expected at most " +
                                 std::to_string(m * n / least) +
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
  expect(matmul_corners_outcome(host_run<float, float>(product)));
}

TEST_CASE("gemm_blocked finishes a block of C before it writes it, once") {
  expect(blocks_outcome({64, 64, 700}, 16));
  // Where no block divides the sides, those at the edges may have half as many elements; a block
  // that waits in C between two parts of a long K is written more often than there are blocks.
  expect(blocks_outcome({63, 63, 200}, 8));
  expect(blocks_outcome({32, 64, 10007}, 16));
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
