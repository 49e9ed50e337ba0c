#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>

#include "../far_tiles.hpp"
#include "../matmul_reach.hpp"
#include "transpose_case.hpp"
#include "tut/budget/budget.hpp"

namespace tut::ch05 {

namespace {

TurnMap clockwise(int rows) {
  return [rows](int r, int c) { return std::pair(rows - 1 - c, r); };
}

Outcome rotate_outcome(int rows, int cols, Layout layout) {
  return turn_outcome(rotate_tiled, clockwise(rows), rows, cols, layout, {.most_launches = 1});
}

}  // namespace

TEST_CASE("rotate_tiled turns a matrix clockwise") {
  for_each_turn_shape([](int rows, int cols) {
    for (const Layout layout : {Layout::dense, Layout::padded}) {
      expect(rotate_outcome(rows, cols, layout));
    }
  });
}

TEST_CASE("rotate_tiled takes long matrices, and such as begin anywhere") {
  for (const auto& [rows, cols] : {std::pair{2, 20000}, {20000, 2}}) {
    expect(rotate_outcome(rows, cols, Layout::dense));
  }
  for (const Layout layout : {Layout::dense, Layout::odd}) expect(rotate_outcome(64, 64, layout));
}

TEST_CASE("rotate_tiled takes rows that are far apart") {
  expect(far_turn_outcome(rotate_tiled, clockwise(5), 5, 40, true));
  expect(far_turn_outcome(rotate_tiled, clockwise(40), 40, 5, false));
  // More than two tiles of them.
  expect(far_turn_outcome(rotate_tiled, clockwise(kFarRows), kFarRows, 5, true, kFarTileStride));
  expect(far_turn_outcome(rotate_tiled, clockwise(5), 5, kFarRows, false, kFarTileStride));
  // Whole tiles.
  expect(far_turn_outcome(rotate_tiled, clockwise(kFarWholeRows), kFarWholeRows, 64, true,
                          kFarWholeStride));
  expect(far_turn_outcome(rotate_tiled, clockwise(64), 64, kFarWholeRows, false, kFarWholeStride));
}

TEST_CASE("rotate_tiled reaches all of a large matrix") {
  const LongBuffer<float> in(5'000'000'000);
  // The matrix is as large as the C of a product.
  const auto of_size = [&](MatrixView<const float>, MatrixView<const float>, MatrixView<float> c,
                           cudaStream_t stream) {
    rotate_tiled({in.data(), c.rows, c.cols, c.cols}, {c.data, c.cols, c.rows, c.rows}, stream);
  };
  expect(matmul_reach_outcome(of_size, 20000, [](const MatmulShape& shape) {
    return rotate_outcome(shape.m, shape.n, Layout::dense);
  }));
  expect(many_tiles_outcome(of_size, "out"));
}

TEST_CASE("rotate_tiled refuses an output of the wrong shape") {
  const DeviceBuffer<float> memory(12);
  for (const auto& [rows, cols] : {std::pair{2, 3}, {2, 2}, {4, 2}, {3, 3}, {3, 1}}) {
    CAPTURE(rows);
    CAPTURE(cols);
    CHECK_THROWS_AS(
        rotate_tiled({memory.data(), 2, 3, 3}, {memory.data(), rows, cols, cols}, nullptr),
        std::invalid_argument);
  }
}

TEST_CASE("budget") {
  constexpr int ROWS = 96, COLS = 64;
  for (const Layout layout : {Layout::dense, Layout::longer}) {
    expect_budget("rotate_tiled", 8.0 * ROWS * COLS,
                  [=] { return rotate_outcome(ROWS, COLS, layout); });
  }
  for (const auto& [rows, cols] : {std::pair{32, COLS}, {ROWS, 32}}) {
    expect_cost(8.0 * rows * cols,
                [rows = rows, cols = cols] { return rotate_outcome(rows, cols, Layout::dense); });
  }
}

}  // namespace tut::ch05
