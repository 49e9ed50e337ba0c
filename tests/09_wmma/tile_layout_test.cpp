#include "09_wmma/tile_layout.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "tut/device/tensor_cores.hpp"

namespace tut::ch09 {
namespace {

// Every chunk of a tile once, and 8 threads in turn in all 32 banks: bytes 0 to 127 modulo 128.
template <int ROWS, int COLS>
void check_chunks() {
  std::set<std::pair<int, int>> places;
  std::set<int> banks;
  for (unsigned i = 0; i < ROWS * COLS / CHUNK; ++i) {
    const ChunkPlace at = chunk_place<COLS>(i);
    CHECK(at.row >= 0);
    CHECK(at.row < ROWS);
    CHECK(at.col >= 0);
    CHECK(at.col <= COLS - CHUNK);
    CHECK(at.col % CHUNK == 0);
    CHECK(places.insert({at.row, at.col}).second);
    if (i % 8 == 0) banks.clear();
    CHECK(banks.insert((at.row * (COLS + PAD) + at.col) * 2 % 128).second);
  }
  CHECK(places.size() == ROWS * COLS / CHUNK);
}

// A fragment's load takes the same 16 bytes of 8 rows at a time.
template <int STRIDE>
void check_rows() {
  std::set<int> banks;
  for (int row = 0; row < 8; ++row) CHECK(banks.insert(row * STRIDE * 2 % 128).second);
}

}  // namespace

TEST_CASE("chunk_place takes every chunk once, 8 at a time in different banks") {
  check_chunks<64, 32>();
  check_chunks<32, 64>();
  check_chunks<128, 32>();
  check_chunks<32, 256>();
  check_chunks<16, 16>();
  static_assert(chunk_place<32>(9) == ChunkPlace{1, 8});
  static_assert(chunk_place<64>(9) == ChunkPlace{1, 8});
}

TEST_CASE("8 rows of a padded tile begin in different banks") {
  check_rows<32 + PAD>();
  check_rows<64 + PAD>();
  check_rows<256 + PAD>();
  check_rows<STAGE_STRIDE>();
}

TEST_CASE("bfloat16 asks for compute capability 8.0") {
  CHECK_NOTHROW(require_tensor_cores<__half>("product", 75));
  CHECK_NOTHROW(require_tensor_cores<__nv_bfloat16>("product", 80));
  CHECK_THROWS_WITH(require_tensor_cores<__nv_bfloat16>("product", 75),
                    "product in bfloat16 needs compute capability 8.0 or higher; this device has "
                    "7.5");
}

}  // namespace tut::ch09
