#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "10_mma_pipelines/fragment_layout.hpp"
#include "10_mma_pipelines/register_products.hpp"
#include "10_mma_pipelines/swizzle.hpp"
#include "mma_case.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch10 {
namespace {

// Every element of a rows x cols matrix is held by one lane, once.
template <class PlaceOf>
void check_fragment(int rows, int cols, PlaceOf place_of) {
  std::set<std::pair<int, int>> places;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < rows * cols / 32; ++i) {
      const Place at = place_of(lane, i);
      CHECK(at.row >= 0);
      CHECK(at.row < rows);
      CHECK(at.col >= 0);
      CHECK(at.col < cols);
      CHECK(places.insert({at.row, at.col}).second);
    }
  }
}

// What is read or written at a time, 8 chunks, lies in 32 different banks: bytes 0 to 127 modulo
// 128.
template <int COLS>
void check_swizzle(int rows) {
  std::set<int> places;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < COLS; ++col) {
      const int at = swizzled<COLS>(row, col);
      CHECK(at >= 0);
      CHECK(at < rows * COLS);
      CHECK(at % CHUNK == col % CHUNK);
      CHECK(places.insert(at).second);
    }
  }
  for (int col = 0; col < COLS; col += CHUNK) {
    for (int row = 0; row < rows; row += 8) {
      std::set<int> banks;  // of a matrix of ldmatrix: the same chunk of 8 rows
      for (int r = 0; r < 8; ++r)
        CHECK(banks.insert(swizzled<COLS>(row + r, col) * 2 % 128).second);
    }
  }
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < COLS; col += 64) {
      std::set<int> banks;  // of 8 threads that copy: 8 chunks of a row
      for (int c = 0; c < 64; c += CHUNK) {
        CHECK(banks.insert(swizzled<COLS>(row, col + c) * 2 % 128).second);
      }
    }
  }
}

// Each tile of C is taken by one block.
void check_order(std::int64_t rows, std::int64_t cols) {
  std::set<std::pair<std::int64_t, std::int64_t>> tiles;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    const BlockPlace at = block_place(i, rows, cols);
    CHECK(at.row >= 0);
    CHECK(at.row < rows);
    CHECK(at.col >= 0);
    CHECK(at.col < cols);
    CHECK(tiles.insert({at.row, at.col}).second);
  }
}

// Elements of a factor in a lane's words: element i of fragment f.
float element_of(const std::vector<unsigned>& words, int first_word, int lane, int i) {
  const unsigned word = words[static_cast<std::size_t>((first_word + i / 2) * 32 + lane)];
  const auto bits = static_cast<unsigned short>(i % 2 == 0 ? word : word >> 16);
  return __half2float(__ushort_as_half(bits));
}

}  // namespace

TEST_CASE("each element of a fragment is held once") {
  check_fragment(16, 16, a_place);
  check_fragment(16, 8, b_place);
  check_fragment(16, 8, sum_place);
  static_assert(a_place(5, 0) == Place{1, 2} && a_place(5, 7) == Place{9, 11});
  static_assert(b_place(5, 0) == Place{2, 1} && b_place(5, 3) == Place{11, 1});
  static_assert(sum_place(5, 0) == Place{1, 2} && sum_place(5, 3) == Place{9, 3});
}

TEST_CASE("a swizzled tile has each element once, and 8 chunks at a time in different banks") {
  check_swizzle<64>(64);
  check_swizzle<128>(64);
  check_swizzle<256>(16);
  static_assert(swizzled<64>(0, 11) == 11 && swizzled<64>(3, 8) == 3 * 64 + 2 * 8);
  static_assert(swizzled<128>(1, 72) == 128 + 64);
}

TEST_CASE("block_place takes every tile once, 16 rows at a time") {
  for (const int rows : {1, 2, 15, 16, 17, 33}) {
    for (const int cols : {1, 3, 32}) check_order(rows, cols);
  }
  static_assert(block_place(0, 40, 5) == BlockPlace{0, 0});
  static_assert(block_place(17, 40, 5) == BlockPlace{1, 1});
  static_assert(block_place(80, 40, 5) == BlockPlace{16, 0});
  static_assert(block_place(160 + 8, 40, 5) == BlockPlace{32, 1});
  // The last of many.
  static_assert(block_place(1'999'999'999, 50'000, 40'000) == BlockPlace{49'999, 39'999});
}

TEST_CASE("register_products adds up the products that the layouts say") {
  if (!can_run("register_products")) return;
  constexpr int STEPS = 3, BLOCKS = 2;
  std::vector<unsigned> words(REGISTER_WORDS * 32);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto bits = [&](std::uint64_t half) -> unsigned {
      const float value = static_cast<float>(drawn_bits(81, 2 * i + half) % 5) - 2.0f;
      return __half_as_ushort(__float2half(value));
    };
    words[i] = bits(0) | bits(1) << 16;
  }
  const DeviceBuffer<unsigned> device_words(words);
  const DeviceBuffer<float> sums(static_cast<std::size_t>(BLOCKS) * REGISTER_THREADS);
  register_products<__half>(device_words.data(), sums.data(), BLOCKS, STEPS);
  const std::vector<float> got = sums.to_host();

  double a[64][16] = {}, b[16][64] = {};
  for (int lane = 0; lane < 32; ++lane) {
    for (int part = 0; part < 4; ++part) {
      for (int i = 0; i < 8; ++i) {
        const Place at = a_place(lane, i);
        a[part * 16 + at.row][at.col] = static_cast<double>(element_of(words, part * 4, lane, i));
      }
    }
    for (int part = 0; part < 8; ++part) {
      for (int i = 0; i < 4; ++i) {
        const Place at = b_place(lane, i);
        b[at.row][part * 8 + at.col] =
            static_cast<double>(element_of(words, 16 + part * 2, lane, i));
      }
    }
  }
  for (std::size_t thread = 0; thread < got.size(); ++thread) {
    const int lane = static_cast<int>(thread % 32);
    double expected = 0;
    for (int part = 0; part < 32; ++part) {
      for (int i = 0; i < 4; ++i) {
        const Place at = sum_place(lane, i);
        const int row = part / 8 * 16 + at.row, col = part % 8 * 8 + at.col;
        for (int k = 0; k < 16; ++k) expected += STEPS * a[row][k] * b[k][col];
      }
    }
    CAPTURE(thread);
    CHECK(static_cast<double>(got[thread]) == expected);  // small integers: no rounding
  }
}

TEST_CASE("register_products refuses no blocks and no steps") {
  if (!can_run("register_products")) return;
  const DeviceBuffer<unsigned> words(REGISTER_WORDS * 32);
  const DeviceBuffer<float> sums(REGISTER_THREADS);
  CHECK_THROWS_AS(register_products<__half>(words.data(), sums.data(), 0, 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(register_products<__half>(words.data(), sums.data(), 1, 0),
                  std::invalid_argument);
}

}  // namespace tut::ch10
