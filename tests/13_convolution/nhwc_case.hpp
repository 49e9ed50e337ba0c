#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "13_convolution/nhwc_view.hpp"
#include "convolution_case.hpp"
#include "tut/numeric/precision_cuda.hpp"

/// What the tests of NHWC and of 16 bits share.
namespace tut::test {

/// Elements of T on the device between two zones of NaN; 16-byte aligned unless `shift` elements
/// off.
template <class T>
class GuardedElements {
 public:
  /// Memory for an output: NaN at first.
  explicit GuardedElements(std::size_t size, std::size_t shift = 0)
      : size_(size), shift_(shift), buffer_(size + 2 * kZone) {
    buffer_.fill_bytes(0xFF);
  }
  explicit GuardedElements(const std::vector<T>& values, std::size_t shift = 0)
      : GuardedElements(values.size(), shift) {
    std::vector<T> all = buffer_.to_host();
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(begin()));
    buffer_.copy_from(all);
  }

  T* data() const { return buffer_.data() + begin(); }

  /// The values; fails the test if a zone has changed.
  std::vector<T> read() const {
    const std::vector<T> all = buffer_.to_host();
    const std::vector<unsigned char> nan(sizeof(T), 0xFF);
    bool intact = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= begin() && i < begin() + size_) continue;
      intact = intact && std::memcmp(&all[i], nan.data(), sizeof(T)) == 0;
    }
    CHECK_MESSAGE(intact, "kind: out-of-bounds: memory beside the result was written");
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin());
    return {first, first + static_cast<std::ptrdiff_t>(size_)};
  }

 private:
  static constexpr std::size_t kZone = 64;
  std::size_t begin() const { return kZone + shift_; }

  std::size_t size_, shift_;
  DeviceBuffer<T> buffer_;
};

template <class T>
bool same_elements(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// The index in (n, y, x, c) order of element `index` in (n, c, y, x) order.
inline std::size_t nhwc_index(std::size_t index, int channels, int height, int width) {
  const auto area = static_cast<std::size_t>(height * width);
  const auto c = static_cast<std::size_t>(channels);
  const std::size_t place = index % area, channel = index / area % c, image = index / area / c;
  return (image * area + place) * c + channel;
}

/// Values in NCHW order as elements of T in NHWC order.
template <class T>
std::vector<T> to_nhwc(const std::vector<float>& values, int channels, int height, int width) {
  std::vector<T> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[nhwc_index(i, channels, height, width)] = from_float<T>(values[i]);
  }
  return result;
}

/// The other way round, in float.
template <class T>
std::vector<float> from_nhwc(const std::vector<T>& values, int channels, int height, int width) {
  std::vector<float> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = static_cast<float>(to_double(values[nhwc_index(i, channels, height, width)]));
  }
  return result;
}

/// Rounds the factors to T, so that the reference is made of what the kernel gets.
template <class T>
void round_factors(ConvolutionInputs& host) {
  for (std::vector<float>* values : {&host.in, &host.weights, &host.d_out}) {
    for (float& value : *values) value = static_cast<float>(to_double(from_float<T>(value)));
  }
}

/// check_sums for sums that were taken in tensor cores, which cut bits off, and rounded to U. Where
/// the factors are transformed before they are multiplied, `growth` times the error is allowed.
template <class U>
void check_tensor_sums(const std::vector<float>& got, const std::vector<Sum>& expected,
                       double growth = 1) {
  constexpr double u = 0x1p-23;
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Sum& sum = expected[i];
    const double bound =
        2 * growth * std::sqrt(sum.terms) * u * sum.magnitude +
        (u + (std::is_same_v<U, float> ? 0 : Precision<U>::rounding)) * std::abs(sum.value) +
        Precision<U>::underflow;
    if (std::abs(got[i] - sum.value) <= bound) continue;
    FAIL_CHECK("kind: values: element " << i << " (NCHW) is " << got[i] << "; expected "
                                        << sum.value << " +- " << bound);
    return;
  }
}

}  // namespace tut::test
