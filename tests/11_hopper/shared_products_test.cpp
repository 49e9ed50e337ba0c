#include "11_hopper/shared_products.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "11_hopper/sum_layout.hpp"
#include "hopper_case.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch11 {
namespace {

// Element (row, k) of a tile that begins with element `first`: of 8 rows, 128 bytes each, chunk c
// of row r stands in the place of chunk c ^ r.
template <class T>
int tile_element(int first, int row, int k) {
  constexpr int chunk = 16 / static_cast<int>(sizeof(T));
  const int place = (k / chunk ^ row % 8) * chunk + k % chunk;
  return products_element(static_cast<unsigned>(first + row * products_depth<T> + place));
}

template <class T>
void check_products(int steps) {
  constexpr int blocks = 2, depth = products_depth<T>, columns = products_columns<T>;
  const DeviceBuffer<float> sums(std::size_t{blocks} * PRODUCTS_THREADS);
  shared_products<T>(sums.data(), blocks, steps);
  const std::vector<float> got = sums.to_host();
  int wrong = 0;
  for (int i = 0; i < blocks * PRODUCTS_THREADS; ++i) {
    const int thread = i % PRODUCTS_THREADS, lane = thread % 128;
    int expected = 0;
    for (int s = 0; s < columns / 2; ++s) {
      const int row = thread / 128 * 64 + row_of_sum(lane, s), col = col_of_sum(lane, s);
      for (int k = 0; k < depth; ++k) {
        expected += steps * tile_element<T>(0, row, k) * tile_element<T>(128 * depth, col, k);
      }
    }
    wrong += got[i] != static_cast<float>(expected);  // small integers: no rounding
  }
  CHECK_MESSAGE(wrong == 0, wrong << " of " << got.size() << " sums are wrong");
}

}  // namespace

TEST_CASE("shared_products multiplies its tiles, as often as it is told") {
  if (!can_run("shared_products")) return;
  for (const int steps : {1, 3}) {
    check_products<__nv_bfloat16>(steps);
    check_products<__nv_fp8_e4m3>(steps);
  }
}

TEST_CASE("shared_products refuses no blocks and no steps") {
  if (!can_run("shared_products")) return;
  const DeviceBuffer<float> sums(PRODUCTS_THREADS);
  CHECK_THROWS_AS(shared_products<__nv_bfloat16>(sums.data(), 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(shared_products<__nv_fp8_e4m3>(sums.data(), 1, 0), std::invalid_argument);
}

}  // namespace tut::ch11
