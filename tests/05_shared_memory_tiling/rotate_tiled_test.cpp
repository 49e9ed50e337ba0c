#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>

#include "transpose_case.hpp"

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

}  // namespace tut::ch05
