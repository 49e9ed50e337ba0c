#include "06_finding_kernel_bugs/cooperation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

// Integers from -100 to 100: their sums are exact.
std::vector<float> integers(int n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_small_integers(values, 1, 100);
  return values;
}

}  // namespace

TEST_CASE("gather_above finds each element once") {
  for (const int n : lengths()) {
    CAPTURE(n);
    const std::vector<float> values = integers(n);
    const DeviceBuffer<float> x(values);
    const DeviceBuffer<float> out(values.size());
    DeviceBuffer<int> count(1);
    count.fill_bytes(0);
    gather_above(x.data(), n, 10.0f, out.data(), count.data());
    std::vector<float> expected, got = out.to_host();
    for (const float value : values) {
      if (value > 10.0f) expected.push_back(value);
    }
    const int found = count.to_host()[0];
    REQUIRE(found == static_cast<int>(expected.size()));
    got.resize(expected.size());
    std::ranges::sort(expected);
    std::ranges::sort(got);
    CHECK((got == expected));
  }
}

TEST_CASE("divide_by_first divides by the same sum in every block") {
  for (const int n : lengths()) {
    CAPTURE(n);
    std::vector<float> values = integers(n);
    for (float& value : values) value += 200.0f;  // a sum above 0
    float sum = 0.0f;
    for (int i = 0; i < std::min(n, 256); ++i) sum += values[static_cast<std::size_t>(i)];
    const DeviceBuffer<float> x(values);
    const DeviceBuffer<float> out(values.size()), published_sum(1);
    DeviceBuffer<unsigned> published(1);
    published.fill_bytes(0);
    divide_by_first(x.data(), n, out.data(), published_sum.data(), published.data());
    CHECK(published_sum.to_host()[0] == sum);
    CHECK(published.to_host()[0] == 1u);
    const std::vector<float> got = out.to_host();
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(got[i] == values[i] / sum);
  }
}

TEST_CASE("warp_sums adds up every 32 elements") {
  for (const int n : lengths()) {
    CAPTURE(n);
    const std::vector<float> values = integers(n);
    std::vector<float> expected(static_cast<std::size_t>((n + 31) / 32));
    for (std::size_t i = 0; i < values.size(); ++i) expected[i / 32] += values[i];
    const DeviceBuffer<float> x(values);
    DeviceBuffer<float> sums(expected.size());
    sums.fill_bytes(0xFF);
    warp_sums(x.data(), n, sums.data());
    CHECK((sums.to_host() == expected));
  }
}

TEST_CASE("sum_on_host adds up what it has copied") {
  CHECK(sum_on_host(nullptr, 0) == 0.0);
  for (const int n : lengths()) {
    CAPTURE(n);
    const std::vector<float> values = integers(n);
    double expected = 0;
    for (const float value : values) expected += value;
    const DeviceBuffer<float> x(values);
    CHECK(sum_on_host(x.data(), n) == expected);
  }
}

TEST_CASE("the examples refuse a negative length, and have nothing to do for 0") {
  CHECK_NOTHROW(gather_above(nullptr, 0, 0.0f, nullptr, nullptr));
  CHECK_NOTHROW(divide_by_first(nullptr, 0, nullptr, nullptr, nullptr));
  CHECK_NOTHROW(warp_sums(nullptr, 0, nullptr));
  CHECK_THROWS_AS(gather_above(nullptr, -1, 0.0f, nullptr, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(divide_by_first(nullptr, -1, nullptr, nullptr, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(warp_sums(nullptr, -1, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(sum_on_host(nullptr, -1), std::invalid_argument);
}

}  // namespace tut::ch06
