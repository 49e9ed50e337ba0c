#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/matrix/tensor_view.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/numeric/random.hpp"

/// What the tests of the layers share.
namespace tut::ch14::test {

/// A vector on the device between two zones of NaN: what is read from outside spoils the result,
/// what is written outside shows.
template <class T>
class GuardedVector {
 public:
  /// Memory for an output: NaN at first. `shift`: elements by which it begins off an aligned place.
  explicit GuardedVector(std::size_t size, std::size_t shift = 0)
      : size_(size), zone_(kZone + shift), buffer_(size + 2 * zone_) {
    buffer_.fill_bytes(0xFF);
  }
  /// A copy of an input.
  explicit GuardedVector(const std::vector<T>& values, std::size_t shift = 0)
      : GuardedVector(values.size(), shift) {
    std::vector<T> all = buffer_.to_host();
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(zone_));
    buffer_.copy_from(all);
  }

  T* data() const { return buffer_.data() + zone_; }
  std::span<T> span() const { return {data(), size_}; }
  TensorView<T> tensor(int n, int c, int h, int w) const { return {data(), n, c, h, w}; }
  MatrixView<T> matrix(int rows, int cols) const { return {data(), rows, cols, cols}; }

  /// The values; fails the test if a zone has changed.
  std::vector<T> read() const {
    const std::vector<T> all = buffer_.to_host();
    const auto is_guard = [](const T& value) {
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof(T));
      return std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0xFF; });
    };
    const auto zone = static_cast<std::ptrdiff_t>(zone_);
    const bool intact = std::all_of(all.begin(), all.begin() + zone, is_guard) &&
                        std::all_of(all.end() - zone, all.end(), is_guard);
    CHECK_MESSAGE(intact, "kind: out-of-bounds: memory beside the result was written");
    return {all.begin() + zone, all.end() - zone};
  }
  std::vector<double> read_double() const {
    std::vector<double> values;
    for (const T& value : read()) values.push_back(to_double(value));
    return values;
  }

 private:
  static constexpr std::size_t kZone = 64;

  std::size_t size_, zone_;
  DeviceBuffer<T> buffer_;
};

template <class T>
std::vector<T> random_vector(std::size_t size, std::uint64_t seed, float lo = -1, float hi = 1) {
  std::vector<T> values(size);
  fill_uniform(values, seed, lo, hi);
  return values;
}

template <class T>
std::vector<double> in_double(const std::vector<T>& values) {
  std::vector<double> result;
  for (const T& value : values) result.push_back(to_double(value));
  return result;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Fails the test at the first element off by more than `relative` of |expected| plus `absolute`;
/// NaN always is.
inline void check_near(const std::vector<double>& got, const std::vector<double>& expected,
                       double relative, double absolute) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i]) <= relative * std::abs(expected[i]) + absolute) continue;
    FAIL_CHECK("kind: values: element " << i << " is " << got[i] << "; expected " << expected[i]);
    return;
  }
}

/// (f(x + h) - f(x - h)) / 2h in each variable, for f of all.
inline std::vector<double> central_differences(std::vector<double>& variables,
                                               const std::function<double()>& f,
                                               double step = 1e-5) {
  std::vector<double> slopes;
  for (double& variable : variables) {
    const double at = variable;
    variable = at + step;
    const double above = f();
    variable = at - step;
    const double below = f();
    variable = at;
    slopes.push_back((above - below) / (2 * step));
  }
  return slopes;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace tut::ch14::test
