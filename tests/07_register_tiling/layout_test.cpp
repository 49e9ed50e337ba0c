#include "07_register_tiling/layout.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

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

}  // namespace tut::ch07
