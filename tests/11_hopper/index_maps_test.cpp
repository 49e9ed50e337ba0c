// The index maps of this chapter.
#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "10_mma_pipelines/fragment_layout.hpp"
#include "11_hopper/sum_layout.hpp"

TEST_CASE("each sum of a warpgroup's product has a place of its own") {
  using namespace tut::ch11;
  for (const int sums : {64, 128}) {
    std::set<std::pair<int, int>> places;
    for (int thread = 0; thread < 128; ++thread) {
      for (int i = 0; i < sums; ++i) {
        const int row = row_of_sum(thread, i), col = col_of_sum(thread, i);
        CHECK(row >= 0);
        CHECK(row < 64);
        CHECK(col >= 0);
        CHECK(col < 2 * sums);
        places.insert({row, col});
      }
    }
    CHECK(places.size() == 128 * static_cast<std::size_t>(sums));
  }
}

TEST_CASE("a warp's sums lie as those of mma.sync do") {
  using namespace tut;
  for (int thread = 0; thread < 128; ++thread) {
    for (int i = 0; i < 64; ++i) {
      const ch10::Place place = ch10::sum_place(thread % 32, i % 4);
      CHECK(ch11::row_of_sum(thread, i) == thread / 32 * 16 + place.row);
      CHECK(ch11::col_of_sum(thread, i) == i / 4 * 8 + place.col);
    }
  }
}
