#include "05_shared_memory_tiling/reverse_blocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch05 {
namespace {

std::vector<float> reversed(std::vector<float> values, int size) {
  const auto n = static_cast<int>(values.size());
  for (int first = 0; first < n; first += size) {
    std::reverse(values.begin() + first, values.begin() + std::min(n, first + size));
  }
  return values;
}

}  // namespace

TEST_CASE("every piece is reversed in itself") {
  for (const int n : {1, 2, 31, 255, 256, 257, 1009}) {
    std::vector<float> values(static_cast<std::size_t>(n));
    fill_uniform(values, 1);
    const DeviceBuffer<float> x(values);
    DeviceBuffer<float> out(values.size());
    CAPTURE(n);
    out.fill_bytes(0xFF);
    reverse_blocks(x.data(), n, out.data());
    CHECK((out.to_host() == reversed(values, 256)));
    for (const int size : {1, 7, 32, 100, 1024}) {
      CAPTURE(size);
      out.fill_bytes(0xFF);
      reverse_blocks_of(x.data(), n, size, out.data());
      CHECK((out.to_host() == reversed(values, size)));
    }
  }
}

TEST_CASE("sizes that are out of range are refused") {
  CHECK_NOTHROW(reverse_blocks(nullptr, 0, nullptr));
  CHECK_NOTHROW(reverse_blocks_of(nullptr, 0, 256, nullptr));
  CHECK_THROWS_AS(reverse_blocks(nullptr, -1, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(reverse_blocks_of(nullptr, -1, 256, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(reverse_blocks_of(nullptr, 1, 0, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(reverse_blocks_of(nullptr, 1, 1025, nullptr), std::invalid_argument);
}

}  // namespace tut::ch05
