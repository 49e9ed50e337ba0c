/// \file
/// What the trials of kernels share: values in device memory, and how near two results must be.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch16::mine {

/// Floats in device memory between two zones of NaN: what is read from outside spoils a result,
/// what is written outside shows.
class Values {
 public:
  /// Memory for a result: NaN at first.
  explicit Values(std::size_t size)
      : Values(std::vector<float>(size, std::numeric_limits<float>::quiet_NaN())) {}
  explicit Values(const std::vector<float>& values) : host_(values.size() + 2 * kZone, kNan) {
    std::copy(values.begin(), values.end(), host_.begin() + kZone);
    device_ = DeviceBuffer<float>(host_);
  }
  /// Uniform in [-1, 1).
  static Values random(std::size_t size, std::uint64_t seed) {
    std::vector<float> values(size);
    fill_uniform(values, seed);
    return Values(values);
  }

  float* data() const { return device_.data() + kZone; }
  std::size_t size() const { return host_.size() - 2 * kZone; }
  std::span<float> span() const { return {data(), size()}; }
  /// One of those it began with.
  float at(std::size_t i) const { return host_[kZone + i]; }
  /// All that is there now, zones included; waits for the device.
  std::vector<float> read() const { return device_.to_host(); }

  /// Whether nothing has changed since it was made.
  bool unchanged() const {
    const auto same = [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    const std::vector<float> now = read();
    return std::equal(now.begin(), now.end(), host_.begin(), same);
  }

 private:
  static constexpr std::size_t kZone = 256;
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

  std::vector<float> host_;
  DeviceBuffer<float> device_;
};

/// Whether two values are as near as rounding leaves sums of some hundred products of values up to
/// 1; a NaN is near a NaN alone.
inline bool near(double got, double expected) {
  if (std::isnan(expected)) return std::isnan(got);
  return std::abs(got - expected) <= 1e-5 * (1 + std::abs(expected));
}

/// The same for all of two results, and for what lies around them.
inline bool near(const Values& got, const Values& expected) {
  const std::vector<float> a = got.read(), b = expected.read();
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return near(x, y); });
}

/// The shape of a convolution: n images of c channels, h x w, and k filters of f x f.
struct ConvolutionTrial {
  int n, c, h, w, k, f, padding, stride;

  int out_h() const { return (h + 2 * padding - f) / stride + 1; }
  int out_w() const { return (w + 2 * padding - f) / stride + 1; }
  static std::size_t size(int n, int c, int h, int w) { return std::size_t{1} * n * c * h * w; }
  std::size_t in_size() const { return size(n, c, h, w); }
  std::size_t out_size() const { return size(n, k, out_h(), out_w()); }
  std::size_t weights_size() const { return size(k, c, f, f); }
  Layer layer() const {
    Layer layer;
    layer.kind = LayerKind::conv;
    layer.outputs = k;
    layer.side = f;
    layer.padding = padding;
    layer.stride = stride;
    layer.in = {c, h, w};
    layer.out = {k, out_h(), out_w()};
    return layer;
  }
};

/// Sides that differ, one channel and several, steps and borders. The last leaves a row of pixels
/// that no filter reaches.
inline constexpr ConvolutionTrial kConvolutionTrials[] = {
    {2, 1, 9, 9, 3, 5, 0, 1},   {3, 2, 7, 5, 5, 3, 1, 1},  {1, 3, 11, 9, 2, 3, 1, 2},
    {2, 4, 6, 7, 9, 1, 0, 1},   {2, 2, 8, 11, 3, 5, 3, 3}, {1, 8, 12, 13, 16, 5, 0, 1},
    {1, 1, 28, 28, 8, 5, 0, 1}, {1, 2, 10, 9, 3, 3, 0, 2}};

}  // namespace tut::ch16::mine
