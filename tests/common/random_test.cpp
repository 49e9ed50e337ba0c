#include "tut/numeric/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace tut {
namespace {

TEST_CASE("the sequence is what it was: figures of one machine hold on every other") {
  // The first is also what SplitMix64 gives first for seed 0.
  CHECK(random_bits(0, 0) == 0xE220A8397B1DCDAFu);
  CHECK(random_bits(1, 0) == 0x6E789E6AA1B965F4u);
  CHECK(random_bits(0, 1) == 0xA706DD2F4D197E6Fu);
  CHECK(random_uniform(3, 5) == -0x1.d925ecp-1f);
  static_assert(random_unit(1, 2) >= 0 && random_unit(1, 2) < 1);
}

TEST_CASE("TUT_SEED gives other values, the same each time") {
  CHECK(parse_seed(nullptr) == 0);
  CHECK(parse_seed("17") == 17);
  for (const char* text : {"", "-1", "1e3", "0x10", " 1", "12345678901234567890"}) {
    CHECK_THROWS_AS(parse_seed(text), std::invalid_argument);
  }
  // This test runs twice: as it is, and with a seed.
  const bool seeded = environment_seed() != 0;
  CHECK((drawn_bits(3, 5) != random_bits(3, 5)) == seeded);
  CHECK((random_uniform(3, 5) != -0x1.d925ecp-1f) == seeded);
  std::vector<float> drawn(100), again(100);
  fill_small_integers(drawn, 3, 50);
  fill_small_integers(again, 3, 50);
  CHECK(drawn == again);
  const auto first = static_cast<int>((random_bits(3, 0) >> 32) * 101 >> 32) - 50;
  CHECK((drawn[0] != static_cast<float>(first)) == seeded);
}

TEST_CASE("fill_uniform: range, mean, variance, and element i depends on nothing but i") {
  std::vector<float> values(100000), half(50000);
  fill_uniform(values, 42);
  fill_uniform(half, 42);
  double sum = 0, squares = 0;
  for (const float value : values) {
    REQUIRE(value >= -1);
    REQUIRE(value < 1);
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double mean = sum / 100000;
  CHECK(std::abs(mean) < 4 * std::sqrt(1.0 / 3 / 100000));
  CHECK(std::abs(squares / 100000 - 1.0 / 3) < 0.005);
  CHECK(std::equal(half.begin(), half.end(), values.begin()));
  fill_uniform(values, 42, 2, 3);
  CHECK(*std::ranges::min_element(values) >= 2);
  CHECK(*std::ranges::max_element(values) <= 3);
}

TEST_CASE("seeds that follow each other give sequences that do not") {
  std::vector<float> a(1000), b(1000);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  double correlation = 0, shifted = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    correlation += static_cast<double>(a[i]) * b[i];
    shifted += static_cast<double>(a[i + 1]) * b[i];
  }
  // The standard deviation of the mean product is 1/3 / sqrt(1000).
  CHECK(std::abs(correlation / 1000) < 0.05);
  CHECK(std::abs(shifted / 1000) < 0.05);
  std::set<std::uint64_t> bits;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t index = 0; index < 100; ++index) bits.insert(random_bits(seed, index));
  }
  CHECK(bits.size() == 10000);
}

TEST_CASE("small integers are integers, reach both limits and nothing beyond") {
  std::vector<float> values(1000);
  fill_small_integers(values, 9, 3);
  std::set<float> seen(values.begin(), values.end());
  CHECK(seen == std::set<float>{-3, -2, -1, 0, 1, 2, 3});
  std::vector<signed char> bytes(1000);
  fill_small_integers(bytes, 9, 100);
  CHECK(*std::ranges::max_element(bytes) <= 100);
  CHECK(*std::ranges::min_element(bytes) < -80);
}

TEST_CASE("a matrix gets the same values whatever its stride, and keeps its padding") {
  HostMatrix<float> dense(3, 5), padded(3, 5, 8);
  fill_uniform(dense, 4);
  fill_uniform(padded, 4);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 5; ++c) CHECK(dense(r, c) == padded(r, c));
  }
  CHECK(bits_of(padded.span()[5]) == Precision<float>::padding);
  fill_small_integers(padded, 4, 8);
  CHECK(padded(2, 4) == std::round(padded(2, 4)));
  CHECK(bits_of(padded.span()[5]) == Precision<float>::padding);
}

}  // namespace
}  // namespace tut
