#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>

#include "transpose_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"

namespace tut::ch05 {

TEST_CASE("rotate_tiled turns a matrix clockwise") {
  for_each_turn_shape([](int rows, int cols) {
    for (const bool dense : {true, false}) {
      expect(turn_outcome(
          rotate_tiled, [rows](int r, int c) { return std::pair(rows - 1 - c, r); }, rows, cols,
          dense));
    }
  });
}

TEST_CASE("rotate_tiled refuses an output of the wrong shape") {
  const DeviceBuffer<float> memory(6);
  CHECK_THROWS_AS(rotate_tiled({memory.data(), 2, 3, 3}, {memory.data(), 2, 3, 3}, nullptr),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int ROWS = 96, COLS = 64;
  const DeviceMatrix<float> in(ROWS, COLS);
  DeviceMatrix<float> out(COLS, ROWS);
  expect_budget("rotate_tiled", 8.0 * ROWS * COLS, [&] { rotate_tiled(in.view(), out.view()); });
}

}  // namespace tut::ch05
