#include "12_mixed_precision/split_fragments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace tut::ch12::split_tiles {
namespace {

constexpr int ROW_OF_A = 16, ROW_OF_B = 128;  // words of a row of the tiles

/// Passes through the 32 banks for the neighbouring words that each of `lanes` lanes asks for.
template <class Word>
int passes(int first_lane, int lanes, int words, Word word_of) {
  std::array<std::set<int>, 32> asked;
  for (int lane = first_lane; lane < first_lane + lanes; ++lane) {
    for (int i = 0; i < words; ++i) {
      const int word = word_of(lane / 4, lane % 4) + i;
      asked[static_cast<std::size_t>(word % 32)].insert(word);
    }
  }
  const auto most = std::max_element(
      asked.begin(), asked.end(), [](const auto& x, const auto& y) { return x.size() < y.size(); });
  return static_cast<int>(most->size());
}

using Swizzle = std::function<int(int, int)>;

/// Of the loads of the tile of B, 8 bytes a lane, whose warp begins at column `col`.
int most_passes_for_columns(int col, const Swizzle& swizzle) {
  int most = 0;
  for (int p = 0; p < PRODUCTS; ++p) {
    for (int i = 0; i < 2; ++i) {
      for (int first : {0, 16}) {
        most = std::max(most, passes(first, 16, 2, [&](int g, int t) {
                          const int k = k_of(p, t + 4 * i);
                          return k * ROW_OF_B + swizzle(k, col + column_of(g));
                        }));
      }
    }
  }
  return most;
}

}  // namespace

TEST_CASE("the two products take each k of a stage once, a lane four neighbours") {
  std::set<int> all;
  for (int p = 0; p < PRODUCTS; ++p) {
    for (int k = 0; k < 8; ++k) all.insert(k_of(p, k));
  }
  CHECK(all.size() == 16);
  CHECK(*all.begin() == 0);
  CHECK(*all.rbegin() == 15);
  for (int t = 0; t < 4; ++t) {
    const int first = k_of(0, t);
    CHECK(first % 4 == 0);
    CHECK(k_of(0, t + 4) == first + 1);
    CHECK(k_of(1, t) == first + 2);
    CHECK(k_of(1, t + 4) == first + 3);
  }
}

TEST_CASE("a fragment takes each of 16 columns once, a lane two neighbours") {
  std::set<int> all;
  for (int m = 0; m < 16; ++m) all.insert(column_of(m));
  CHECK(all.size() == 16);
  CHECK(*all.begin() == 0);
  CHECK(*all.rbegin() == 15);
  for (int g = 0; g < 8; ++g) {
    CHECK(column_of(g) % 2 == 0);
    CHECK(column_of(g + 8) == column_of(g) + 1);
  }
}

TEST_CASE("the swizzle moves whole groups of eight columns of a row") {
  for (int k = 0; k < 16; ++k) {
    std::set<int> places;
    for (int col = 0; col < ROW_OF_B; ++col) {
      const int at = swizzled_column(k, col);
      places.insert(at);
      CHECK(at % 8 == col % 8);
    }
    CHECK(places.size() == ROW_OF_B);
    CHECK(*places.rbegin() == ROW_OF_B - 1);
  }
}

TEST_CASE("the loads of fragments take one pass for 128 bytes") {
  for (int first = 0; first < 32; first += 8) {
    CHECK(passes(first, 8, 4, [](int g, int t) { return g * ROW_OF_A + k_of(0, t); }) == 1);
  }
  for (int col = 0; col < ROW_OF_B; col += 16) {
    CHECK(most_passes_for_columns(col, swizzled_column) == 1);
    // What the swizzle is for: as they lie in memory, four rows meet in the same banks.
    CHECK(most_passes_for_columns(col, [](int, int place) { return place; }) == 4);
  }
}

}  // namespace tut::ch12::split_tiles
