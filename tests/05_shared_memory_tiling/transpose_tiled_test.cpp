#include "05_shared_memory_tiling/transpose_tiled.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>

#include "transpose_case.hpp"

namespace tut::ch05 {

TEST_CASE("transpose_tiled moves every element to its transposed place") {
  for_each_turn_shape([](int rows, int cols) {
    for (const Layout layout : {Layout::dense, Layout::padded}) {
      expect(turn_outcome(
          transpose_tiled, [](int r, int c) { return std::pair(c, r); }, rows, cols, layout));
    }
  });
}

TEST_CASE("transpose_tiled refuses an output of the wrong shape") {
  const DeviceBuffer<float> memory(6);
  CHECK_THROWS_AS(transpose_tiled({memory.data(), 2, 3, 3}, {memory.data(), 2, 3, 3}, nullptr),
                  std::invalid_argument);
}

}  // namespace tut::ch05
