#include "07_register_tiling/layout.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <utility>

#include "07_register_tiling/whole_tiles.hpp"

namespace tut::ch07 {
namespace {

template <int LANES_N>
void check_lanes() {
  std::set<std::pair<int, int>> places;
  for (int lane = 0; lane < 32; ++lane) {
    const Place place = lane_place<LANES_N>(lane);
    CHECK(place.row >= 0);
    CHECK(place.row < 32 / LANES_N);
    CHECK(place.col >= 0);
    CHECK(place.col < LANES_N);
    places.insert({place.row, place.col});
    // Partners that read the same words of B, and of A.
    CHECK(lane_place<LANES_N>(lane ^ 1).col == place.col);
    CHECK(lane_place<LANES_N>(lane ^ 2).row == place.row);
  }
  CHECK(places.size() == 32);
}

}  // namespace

TEST_CASE("lane_place: every place of a warp has one lane, and lanes have partners") {
  check_lanes<4>();
  check_lanes<8>();
}

TEST_CASE("tile_place: every tile has one block") {
  for (const auto& [tiles_m, tiles_n] :
       {std::pair{1, 1}, {1, 7}, {7, 1}, {16, 3}, {17, 5}, {40, 33}}) {
    std::set<std::pair<int, int>> tiles;
    for (int block = 0; block < tiles_m * tiles_n; ++block) {
      const Place tile = tile_place(block, tiles_m, tiles_n, 16);
      CHECK(tile.row >= 0);
      CHECK(tile.row < tiles_m);
      CHECK(tile.col >= 0);
      CHECK(tile.col < tiles_n);
      tiles.insert({tile.row, tile.col});
    }
    CHECK(static_cast<int>(tiles.size()) == tiles_m * tiles_n);
  }
}

TEST_CASE("tile_place goes down a group of rows before it goes on to the right") {
  CHECK(tile_place(0, 20, 3, 16) == Place{0, 0});
  CHECK(tile_place(15, 20, 3, 16) == Place{15, 0});
  CHECK(tile_place(16, 20, 3, 16) == Place{0, 1});
  CHECK(tile_place(48, 20, 3, 16) == Place{16, 0});
  CHECK(tile_place(52, 20, 3, 16) == Place{16, 1});
}

TEST_CASE(
    "index32: right to the last element that tiles_fit_exactly lets through, and no further") {
  constexpr std::int64_t stride = (1 << 24) - 4;
  for (const int row : {0, 1, 127, 128, 255}) {
    const int col = static_cast<int>(stride) - 1;
    CHECK(index32(row, stride, col) == row * stride + col);
  }
  const auto whole = [](std::int64_t columns, int bm) {
    const int cols = static_cast<int>(columns);
    const MatrixView<float> m{nullptr, 1024, cols, columns};
    return tiles_fit_exactly(m, m, m, bm, 4, 4);
  };
  CHECK(whole(stride, 256));
  CHECK_FALSE(whole(1 << 24, 256));
  CHECK_FALSE(whole(stride, 512));
}

}  // namespace tut::ch07
