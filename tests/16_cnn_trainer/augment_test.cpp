#include "16_cnn_trainer/augment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../13_convolution/guarded_device.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "tut/data/drawn_digits.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using namespace tut::test;

// A set of images on the host and on the device.
struct Set {
  Set(std::vector<std::uint8_t> images, int number, int rows, int cols)
      : host(std::move(images)), count(number), height(rows), width(cols), pixels(host) {
    for (int i = 0; i < number; ++i) host_labels.push_back(static_cast<std::uint8_t>(i * 7 % 10));
    labels.copy_from(host_labels);
  }
  TensorView<const std::uint8_t> view() const { return {pixels.data(), count, 1, height, width}; }
  std::size_t image_size() const { return std::size_t{1} * height * width; }

  std::vector<std::uint8_t> host, host_labels;
  int count, height, width;
  DeviceBuffer<std::uint8_t> pixels;
  DeviceBuffer<std::uint8_t> labels{static_cast<std::size_t>(count)};
};

Set random_set(int count, int height, int width) {
  std::vector<std::uint8_t> pixels(std::size_t{1} * count * height * width);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(drawn_bits(3, i) >> 56);
  }
  return {pixels, count, height, width};
}

struct Batch {
  std::vector<float> images;
  std::vector<std::uint8_t> labels;
};

Batch augmented(const Set& set, const std::vector<int>& indices, AugmentKey key,
                Augmentation range = {}) {
  const int n = static_cast<int>(indices.size());
  const DeviceBuffer<int> device_indices(indices);
  const GuardedDevice images(indices.size() * set.image_size());
  DeviceBuffer<std::uint8_t> labels(indices.size());
  augment(set.view(), {set.labels.data(), set.labels.size()},
          {device_indices.data(), indices.size()}, {images.data(), n, 1, set.height, set.width},
          {labels.data(), labels.size()}, key, range);
  Batch batch{images.read(), labels.to_host()};
  CHECK(set.pixels.to_host() == set.host);
  CHECK(device_indices.to_host() == indices);
  return batch;
}

// The definition, in double.
std::vector<double> expected_image(const Set& set, int image, AugmentKey key, Augmentation range) {
  const auto unit = [&](std::uint64_t i) {
    const std::uint64_t first = static_cast<std::uint64_t>(key.epoch) * (std::uint64_t{1} << 33) +
                                std::uint64_t{4} * static_cast<std::uint64_t>(image);
    return 2 * static_cast<double>(random_unit(key.seed, first + i)) - 1;
  };
  const double angle = unit(0) * range.degrees * std::acos(-1.0) / 180;
  const double factor = 1 + unit(1) * range.scale;
  const double shift_x = unit(2) * range.shift, shift_y = unit(3) * range.shift;
  const double center_x = (set.width - 1) / 2.0, center_y = (set.height - 1) / 2.0;
  const auto pixel = [&](int y, int x) {
    if (y < 0 || y >= set.height || x < 0 || x >= set.width) return 0.0;
    return set.host[image * set.image_size() + std::size_t{1} * y * set.width + x] / 255.0;
  };
  std::vector<double> values;
  for (int y = 0; y < set.height; ++y) {
    for (int x = 0; x < set.width; ++x) {
      const double dx = x - center_x - shift_x, dy = y - center_y - shift_y;
      const double from_x = (std::cos(angle) * dx + std::sin(angle) * dy) / factor + center_x;
      const double from_y = (std::cos(angle) * dy - std::sin(angle) * dx) / factor + center_y;
      const int left = static_cast<int>(std::floor(from_x));
      const int upper = static_cast<int>(std::floor(from_y));
      double value = 0;
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
          value += (1 - std::abs(from_x - (left + i))) * (1 - std::abs(from_y - (upper + j))) *
                   pixel(upper + j, left + i);
        }
      }
      values.push_back(value);
    }
  }
  return values;
}

// An error of a place moves a value by no more than itself: neighbours differ by 1 at most, along
// two axes. Places are computed from numbers below four times the image's sides.
double bound(const Set& set) { return 64 * 0x1p-24 * (set.height + set.width); }

void check_images(const Set& set, const std::vector<int>& indices, AugmentKey key,
                  Augmentation range = {}) {
  const Batch got = augmented(set, indices, key, range);
  for (std::size_t n = 0; n < indices.size(); ++n) {
    const std::vector<double> expected = expected_image(set, indices[n], key, range);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const float value = got.images[n * expected.size() + i];
      if (std::abs(value - expected[i]) <= bound(set)) continue;
      FAIL_CHECK("kind: values: image " << indices[n] << ", row " << i / set.width << ", column "
                                        << i % set.width << " is " << value << "; expected "
                                        << expected[i]);
      return;
    }
    CHECK(got.labels[n] == set.host_labels[indices[n]]);
  }
}

}  // namespace

TEST_CASE("augment: images are moved as the definition says") {
  for (const auto& sides :
       {std::pair{28, 28}, {1, 1}, {1, 17}, {13, 1}, {5, 3}, {31, 37}, {10, 1021}, {100, 100}}) {
    const int height = sides.first, width = sides.second;
    CAPTURE(height);
    CAPTURE(width);
    const Set set = random_set(5, height, width);
    check_images(set, {4, 0, 3, 3}, {1, 0});
    check_images(set, {2}, {~std::uint64_t{0}, 1});
  }
  const Set set = random_set(9, 28, 28);
  check_images(set, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {5, 0x7fffffff});
  for (const Augmentation range :
       {Augmentation{0, 180, 0}, Augmentation{0, 0, 0.99f}, Augmentation{40, 0, 0},
        Augmentation{1e6f, 10, 0.1f}, Augmentation{3, 90, 0.5f}}) {
    CAPTURE(range.shift);
    CAPTURE(range.degrees);
    // Far outside, where the numbers are large, all is 0.
    check_images(set, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {2, 3}, range);
  }
}

TEST_CASE("augment: without moving it is gather_batch, to the bit") {
  const data::Dataset digits = data::draw_digits(20, 4);
  const Set set(digits.images, 20, 28, 28);
  const std::vector<int> indices{19, 0, 7, 7};
  const DeviceBuffer<int> device_indices(indices);
  const GuardedDevice images(4 * set.image_size());
  DeviceBuffer<std::uint8_t> labels(4);
  gather_batch(set.view(), {set.labels.data(), 20}, {device_indices.data(), 4},
               {images.data(), 4, 1, 28, 28}, {labels.data(), 4});
  const Batch still = augmented(set, indices, {1, 2}, {0, 0, 0});
  CHECK(same_bits(still.images, images.read()));
  CHECK(still.labels == labels.to_host());
}

TEST_CASE("augment: seed, epoch and image decide, and nothing else") {
  const Set set = random_set(40, 28, 28);
  const std::vector<int> some{17, 3, 39, 3};
  const Batch batch = augmented(set, some, {9, 4});
  const auto image_of = [&](const Batch& of, std::size_t n) {
    return std::vector<float>(of.images.begin() + n * set.image_size(),
                              of.images.begin() + (n + 1) * set.image_size());
  };
  CHECK(same_bits(augmented(set, some, {9, 4}).images, batch.images));
  CHECK(same_bits(image_of(batch, 1), image_of(batch, 3)));
  const Batch other_place = augmented(set, {39, 1, 2, 3, 4, 5, 6, 17}, {9, 4});
  CHECK(same_bits(image_of(other_place, 0), image_of(batch, 2)));
  CHECK(same_bits(image_of(other_place, 7), image_of(batch, 0)));
  CHECK(!same_bits(augmented(set, some, {9, 5}).images, batch.images));
  CHECK(!same_bits(augmented(set, some, {8, 4}).images, batch.images));
}

TEST_CASE("augment: maps are spread over their range, and differ between images and epochs") {
  constexpr int kMaps = 20'000;
  const Augmentation range;
  double sums[4] = {}, squares[4] = {};
  for (int i = 0; i < kMaps; ++i) {
    const int image = i % 10'000, epoch = i / 10'000;
    const SourceMap map = random_source_map({1, epoch}, image, 28, 28, range);
    const double factor = 1 / std::hypot(map.a, map.b);
    const double degrees = std::atan2(map.b, map.a) * 180 / std::acos(-1.0);
    // Back to the shifts: the place in the new image of the old one's centre.
    const double dx = 13.5 - map.x0, dy = 13.5 - map.y0;
    const double x = (map.a * dx - map.b * dy) * factor * factor - 13.5;
    const double y = (map.b * dx + map.a * dy) * factor * factor - 13.5;
    const double drawn[4] = {degrees / 10, (factor - 1) / 0.1, x / 2, y / 2};
    for (int k = 0; k < 4; ++k) {
      CHECK(std::abs(drawn[k]) <= 1.0001);
      sums[k] += drawn[k];
      squares[k] += drawn[k] * drawn[k];
    }
  }
  for (int k = 0; k < 4; ++k) {
    CAPTURE(k);
    CHECK(std::abs(sums[k] / kMaps) < 0.02);                // five standard errors
    CHECK(std::abs(squares[k] / kMaps - 1.0 / 3) < 0.011);  // of a uniform distribution
  }
  const SourceMap one = random_source_map({1, 0}, 0, 28, 28, range);
  CHECK(random_source_map({1, 1}, 0, 28, 28, range).a != one.a);
  CHECK(random_source_map({1, 0}, 1, 28, 28, range).a != one.a);
}

TEST_CASE("augment: what does not fit is refused") {
  const Set set = random_set(3, 4, 5);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const Augmentation range :
       {Augmentation{-1, 0, 0}, Augmentation{0, 181, 0}, Augmentation{0, 0, 1},
        Augmentation{kNan, 0, 0}, Augmentation{0, kNan, 0}, Augmentation{0, 0, kNan}}) {
    CHECK_THROWS_AS(augmented(set, {0}, {1, 0}, range), std::invalid_argument);
  }
  CHECK_THROWS_AS(augmented(set, {0}, {1, -1}), std::invalid_argument);
  CHECK_THROWS_AS(augmented(random_set(1, 1, 1025), {0}, {1, 0}), std::invalid_argument);
  // 12284 floats with the border, and 16 bytes of its map: 48 KiB. Then 12288 floats.
  CHECK_NOTHROW(augmented(random_set(1, 72, 164), {0}, {1, 0}));
  CHECK_THROWS_AS(augmented(random_set(1, 94, 126), {0}, {1, 0}), std::invalid_argument);
  const DeviceBuffer<int> indices(std::vector<int>{0, 1});
  const GuardedDevice images(2 * set.image_size());
  DeviceBuffer<std::uint8_t> labels(2);
  const std::span<const std::uint8_t> all_labels{set.labels.data(), 3};
  CHECK_THROWS_AS(augment(set.view(), all_labels, {indices.data(), 2}, {images.data(), 2, 1, 4, 4},
                          {labels.data(), 2}, {1, 0}),
                  std::invalid_argument);
  CHECK_THROWS_AS(augment(set.view(), all_labels.first(2), {indices.data(), 2},
                          {images.data(), 2, 1, 4, 5}, {labels.data(), 2}, {1, 0}),
                  std::invalid_argument);
  CHECK_THROWS_AS(augment(set.view(), all_labels, {indices.data(), 2}, {images.data(), 2, 1, 4, 5},
                          {labels.data(), 1}, {1, 0}),
                  std::invalid_argument);
}
