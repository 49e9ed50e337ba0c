#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"

/// What the tests of the network's layers share.
namespace tut::test {

/// Values on the device between two zones of NaN: what is read from outside spoils the result, what
/// is written outside shows.
class GuardedDevice {
 public:
  /// Memory for an output: NaN at first.
  explicit GuardedDevice(std::size_t size) : size_(size), buffer_(size + 2 * kZone) {
    buffer_.fill_bytes(0xFF);
  }
  /// A copy of an input.
  explicit GuardedDevice(const std::vector<float>& values) : GuardedDevice(values.size()) {
    std::vector<float> all = buffer_.to_host();
    std::copy(values.begin(), values.end(), all.begin() + kZone);
    buffer_.copy_from(all);
  }

  float* data() const { return buffer_.data() + kZone; }
  std::span<float> span() const { return {data(), size_}; }

  /// The values; fails the test if a zone has changed.
  std::vector<float> read() const {
    const std::vector<float> all = buffer_.to_host();
    bool intact = true;
    for (std::size_t i = 0; i < kZone; ++i) {
      intact = intact && std::bit_cast<std::uint32_t>(all[i]) == kNan &&
               std::bit_cast<std::uint32_t>(all[all.size() - 1 - i]) == kNan;
    }
    CHECK_MESSAGE(intact, "kind: out-of-bounds: memory beside the result was written");
    return {all.begin() + kZone, all.end() - kZone};
  }

 private:
  static constexpr std::size_t kZone = 64;
  static constexpr std::uint32_t kNan = 0xFFFFFFFF;

  std::size_t size_;
  DeviceBuffer<float> buffer_;
};

inline std::vector<float> random_values(std::size_t size, std::uint64_t seed) {
  std::vector<float> values(size);
  fill_uniform(values, seed);
  return values;
}

/// A sum in double with the sum of the magnitudes of its terms, from which its error bound follows.
struct Sum {
  double value = 0;
  double magnitude = 0;
  int terms = 0;

  void add(double term) {
    value += term;
    magnitude += std::abs(term);
    ++terms;
  }
  /// The largest error that FP32 may make: 2 sqrt(terms) u times the magnitude, and one rounding.
  double bound() const {
    constexpr double u = 0x1p-24;
    return 2 * std::sqrt(terms) * u * magnitude + u * std::abs(value);
  }
};

/// Fails the test at the first element that is not within the bound; NaN never is.
inline void check_sums(const std::vector<float>& got, const std::vector<Sum>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i].value) <= expected[i].bound()) continue;
    FAIL_CHECK("kind: values: element " << i << " is " << got[i] << "; expected "
                                        << expected[i].value << " +- " << expected[i].bound());
    return;
  }
}

/// Whether two results are equal to the bit.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) {
           return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
         });
}

}  // namespace tut::test
