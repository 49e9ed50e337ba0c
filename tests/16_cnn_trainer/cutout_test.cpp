#include "16_cnn_trainer/cutout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../14_layers_and_fusion/vector_image.hpp"
#include "../refusal_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/sparse_matrix.hpp"
#include "tut/trial/far_ends.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch16 {
namespace {

using ch14::near_outcome;
using ch14::result_image;
using ch14::span_of;
using ch14::vector_image;

constexpr int COUNT = 7;  // images of a set

struct Shape {
  int height, width;
  int size() const { return height * width; }
};

// None of them is 0, which would look as if it had been erased.
std::vector<std::uint8_t> random_bytes(int size, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < size; ++i) {
    bytes.push_back(
        static_cast<std::uint8_t>(1 + drawn_bits(seed, static_cast<std::uint64_t>(i)) % 255));
  }
  return bytes;
}

// Image number `image` lies in `pixels` at place image / apart.
std::vector<double> expected_batch(const std::vector<std::uint8_t>& pixels,
                                   const std::vector<int>& indices, Shape shape, AugmentKey key,
                                   int side, int apart = 1) {
  std::vector<double> batch;
  for (const int image : indices) {
    const CutoutSquare square = cutout_square(key, image, shape.height, shape.width, side);
    for (int i = 0; i < shape.size(); ++i) {
      const bool erased = square.covers(i / shape.width, i % shape.width);
      const auto byte = pixels[std::size_t{1} * (image / apart) * shape.size() + i];
      batch.push_back(erased ? 0.0 : static_cast<double>(static_cast<float>(byte) / 255.0f));
    }
  }
  return batch;
}

// The batch as rows and columns of pixels, image below image, as failures report and draw it.
Outcome batch_outcome(const Guarded<float>& before, const Guarded<float>& after, Shape shape,
                      const std::vector<double>& expected, const std::string& text,
                      const std::vector<Formula>& mistakes) {
  const int rows = static_cast<int>(expected.size()) / shape.width, width = shape.width;
  const auto value = [&](int r, int c) {
    return expected[static_cast<std::size_t>(r) * static_cast<std::size_t>(width) +
                    static_cast<std::size_t>(c)];
  };
  const auto zero = [](int, int) { return 0.0; };
  return first_failure(
      {compare(MatrixView<const float>{after.cview().data, rows, width, width},
               make_matrix<double>(rows, width, value), make_matrix<double>(rows, width, zero),
               {.name = "the batch",
                .shape = text,
                .pattern = [&](const Mismatch& m) { return formula_pattern(m, mistakes); }}),
       only_inside_changed(before, after, "the batch", text, true)});
}

Outcome values_outcome(Shape shape, const std::vector<int>& numbers, AugmentKey key, int side,
                       std::size_t shift = 0) {
  const std::vector<std::uint8_t> bytes = random_bytes(COUNT * shape.size(), 3),
                                  names = random_bytes(COUNT, 4);
  const auto n = static_cast<int>(numbers.size());
  auto pixels = vector_image(bytes, shift), labels = vector_image(names, shift);
  auto indices = vector_image(numbers, shift);
  auto batch = result_image<float>(numbers.size() * static_cast<std::size_t>(shape.size()), shift);
  auto batch_labels = result_image<std::uint8_t>(numbers.size(), shift);
  const auto pixels_before = pixels, labels_before = labels;
  const auto indices_before = indices;
  const auto batch_before = batch;
  const auto batch_labels_before = batch_labels;
  std::string text = std::to_string(n) + " images of " + std::to_string(shape.height) + "x" +
                     std::to_string(shape.width) + ", side " + std::to_string(side) + ", epoch " +
                     std::to_string(key.epoch);
  if (shift != 0) text += ", all data " + std::to_string(shift) + " elements off an aligned place";
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, auto p, auto l, auto i, auto b, auto bl) {
        cutout({p.data, COUNT, 1, shape.height, shape.width}, span_of(l), span_of(i),
               {b.data, n, 1, shape.height, shape.width}, span_of(bl), key, side, stream);
      },
      pixels, labels, indices, batch, batch_labels);
  if (!run.ok) return run;
  const auto with_square = [&](const auto& covers) {
    return [&, covers](int row, int x) {
      const int place = row / shape.height, y = row % shape.height;
      const int image = numbers[static_cast<std::size_t>(place)];
      const bool erased = covers(place, image, y, x);
      const auto byte = bytes[static_cast<std::size_t>(image * shape.size() + y * shape.width + x)];
      return erased ? 0.0 : static_cast<double>(static_cast<float>(byte) / 255.0f);
    };
  };
  const auto square_of = [&](int image, int length) {
    return cutout_square(key, image, shape.height, shape.width, length);
  };
  // The right square, of the pixels of image from(place, image).
  const auto of_image = [&](const auto& from, float most) {
    return [&, from, most](int row, int x) -> double {
      const int place = row / shape.height, y = row % shape.height;
      const int image = numbers[static_cast<std::size_t>(place)], other = from(place, image);
      if (other >= COUNT) return no_opinion;
      if (square_of(image, side).covers(y, x)) return 0.0;
      const auto byte = bytes[static_cast<std::size_t>(other * shape.size() + y * shape.width + x)];
      return static_cast<double>(static_cast<float>(byte) / most);
    };
  };
  const std::vector<Formula> mistakes = {
      {"the pixel without any square: where is the square erased?",
       with_square([](int, int, int, int) { return false; })},
      {"what a square leaves whose row and column are exchanged: it covers (y, x)",
       with_square(
           [&](int, int image, int y, int x) { return square_of(image, side).covers(x, y); })},
      {"what the square of its place in the batch leaves: an image has its own, by its number",
       with_square(
           [&](int place, int, int y, int x) { return square_of(place, side).covers(y, x); })},
      {"what is left where all but the square is erased",
       with_square(
           [&](int, int image, int y, int x) { return !square_of(image, side).covers(y, x); })},
      {"what a square of half the side leaves", with_square([&](int, int image, int y, int x) {
         return square_of(image, side / 2).covers(y, x);
       })},
      {"what a square with one row and one column more leaves: bottom and right lie outside of it",
       with_square([&](int, int image, int y, int x) {
         const CutoutSquare s = square_of(image, side);
         return y >= s.top && y <= s.bottom && x >= s.left && x <= s.right;
       })},
      {"what is left where a pixel's row is its number by the height: a row has `width` pixels",
       with_square([&](int, int image, int y, int x) {
         const int i = y * shape.width + x;
         return square_of(image, side).covers(i / shape.height, i % shape.height);
       })},
      {"of the image that has its place in the batch as number: indices say which belongs there",
       of_image([&](int place, int) { return place; }, 255.0f)},
      {"a byte divided by 256: by 255, so that the largest one becomes 1",
       of_image([&](int, int image) { return image; }, 256.0f)}};
  const std::vector<Formula> of_labels = {
      {"the label of its place in the batch: indices say which image belongs there",
       [&](int, int place) {
         return place < COUNT ? static_cast<double>(names[static_cast<std::size_t>(place)])
                              : no_opinion;
       }},
      {"the number of its image: the label is what `labels` has for it", [&](int, int place) {
         return static_cast<double>(numbers[static_cast<std::size_t>(place)]);
       }}};
  std::vector<double> expected_labels;
  for (const int image : numbers) {
    expected_labels.push_back(names[static_cast<std::size_t>(image)]);
  }
  return first_failure(
      {batch_outcome(batch_before, batch, shape, expected_batch(bytes, numbers, shape, key, side),
                     text, mistakes),
       near_outcome(batch_labels_before, batch_labels, expected_labels, 0, 0, "the batch's labels",
                    text, 0, of_labels),
       nothing_changed(pixels_before, pixels, "pixels", text, true),
       nothing_changed(labels_before, labels, "labels", text, true),
       nothing_changed(indices_before, indices, "indices", text, true)});
}

// Images that lie more than 2^32 bytes apart, of a set that is nearly all unused memory.
Outcome far_images_outcome(Shape shape) {
  constexpr int FAR = 6000000;
  const int size = shape.size();
  constexpr AugmentKey key{9, 2};
  SparseMatrix<std::uint8_t> pixels(2, size, std::int64_t{FAR} * size), labels(2, 1, FAR);
  if (!pixels.is_there() || !labels.is_there()) return {};
  const std::vector<std::uint8_t> bytes = random_bytes(2 * size, 3);
  pixels.upload(make_matrix<std::uint8_t>(
      2, size, [&](int r, int c) { return bytes[static_cast<std::size_t>(r * size + c)]; }));
  labels.upload(
      make_matrix<std::uint8_t>(2, 1, [](int r, int) { return static_cast<std::uint8_t>(4 + r); }));
  const std::string text = "images 0 and " + std::to_string(FAR) + " of " +
                           std::to_string(shape.height) + "x" + std::to_string(shape.width);
  const DeviceBuffer<int> indices(std::vector<int>{FAR, 0});
  const DeviceBuffer<float> batch(std::size_t{2} * static_cast<std::size_t>(size));
  const DeviceBuffer<std::uint8_t> batch_labels(2);
  try {
    run_to_end([&](cudaStream_t stream) {
      cutout({pixels.view().data, FAR + 1, 1, shape.height, shape.width},
             {labels.view().data, FAR + 1}, {indices.data(), 2},
             {batch.data(), 2, 1, shape.height, shape.width}, {batch_labels.data(), 2}, key, 8,
             stream);
    });
  } catch (const CudaError& error) {
    return failure("launch", std::string("the batch was not made: ") + error.what() + " (" + text +
                                 "): are offsets computed in 64 bits?");
  }
  const Guarded<float> got = vector_image(batch.to_host());
  const std::vector<double> expected = expected_batch(bytes, {FAR, 0}, shape, key, 8, FAR);
  return first_failure({near_outcome(got, got, expected, 0, 0, "the batch", text),
                        compare_exactly(batch_labels.to_host(), {5, 4}, "the batch's labels")});
}

/// A batch of more than 2^32 pixels, of which only the ends are run. Its last image is darker than
/// all others; it is where it belongs, and not 2^32 pixels before that. Blocks that go round need
/// come to neither of the two places, but hardly to the second alone.
Outcome long_batch_outcome(Shape shape) {
  constexpr int LESS = 5'000'000, IMAGES = 3 << 21;
  constexpr float LIGHT = 1.0f, DARK = 51 / 255.0f;
  const auto area = static_cast<std::size_t>(shape.size());
  const std::size_t last_place = IMAGES * area - 1;
  const std::size_t wrapped_place = last_place - (std::size_t{1} << 32);  // by 32 bits
  std::vector<std::uint8_t> bytes(2 * area, 255);
  std::fill(bytes.begin() + shape.size(), bytes.end(), std::uint8_t{51});
  const DeviceBuffer<std::uint8_t> pixels(bytes), labels(std::vector<std::uint8_t>{7, 8});
  const LongBuffer<int> indices(IMAGES);
  const LongBuffer<float> batch(last_place + 1);
  const LongBuffer<std::uint8_t> batch_labels(IMAGES);
  if (simt_run_ends != nullptr) set_element(indices.data(), IMAGES - 1, 1);
  const std::string size_text = std::to_string(shape.height) + "x" + std::to_string(shape.width);
  const std::string text = "as many as " + std::to_string(IMAGES) + " images of " + size_text +
                           ", of which only the ends are run";
  return far_ends_outcome(
      text,
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        cutout({pixels.data(), 2, 1, shape.height, shape.width}, {labels.data(), 2},
               {indices.data(), size}, {batch.data(), n, 1, shape.height, shape.width},
               {batch_labels.data(), size}, {9, 2}, 0, stream);
      },
      LESS, IMAGES,
      [&](bool) -> Outcome {
        const float last = element_at(batch.data(), last_place),
                    wrapped = element_at(batch.data(), wrapped_place);
        const bool nobody_came = last == 0.0f && wrapped == 0.0f;
        if (nobody_came || (last == DARK && (wrapped == 0.0f || wrapped == LIGHT))) return {};
        return failure("values", "the last pixel is " + value_text(last) +
                                     " where the last image belongs, and " + value_text(wrapped) +
                                     " 2^32 before that; expected " + value_text(DARK) +
                                     " and 0 (" + text + "): are offsets computed in 64 bits?");
      });
}

}  // namespace

TEST_CASE("cutout_square is anywhere, and another one for each image, epoch and seed") {
  std::set<std::pair<int, int>> centres, corners;
  for (int image = 0; image < 2000; ++image) {
    const CutoutSquare square = cutout_square({1, 0}, image, 4, 3, 2);
    CHECK(square.bottom - square.top == 2);
    CHECK(square.right - square.left == 2);
    centres.insert({square.top + 1, square.left + 1});
    const CutoutSquare next = cutout_square({1, 1}, image, 1000, 1000, 8);
    corners.insert({next.top, next.left});
  }
  CHECK(centres.size() == 12);  // all the places there are
  CHECK(centres.begin()->first == 0);
  CHECK(centres.begin()->second == 0);
  CHECK(centres.rbegin()->first == 3);
  CHECK(centres.rbegin()->second == 2);
  CHECK(corners.size() > 1990);
  const auto same = [](const CutoutSquare& a, const CutoutSquare& b) {
    return a.top == b.top && a.left == b.left;
  };
  const CutoutSquare square = cutout_square({1, 0}, 5, 1000, 1000, 8);
  CHECK(same(square, cutout_square({1, 0}, 5, 1000, 1000, 8)));
  CHECK(!same(square, cutout_square({1, 1}, 5, 1000, 1000, 8)));
  CHECK(!same(square, cutout_square({2, 0}, 5, 1000, 1000, 8)));
}

TEST_CASE("cutout erases the square of each image, and nothing else") {
  const std::vector<int> some{3, 0, 6, 3, 1};
  for (const Shape shape :
       {Shape{28, 28}, Shape{5, 7}, Shape{1, 1}, Shape{17, 31}, Shape{32, 32}, Shape{2, 300}}) {
    for (const int side : {8, 0, 1, 5, 100}) expect(values_outcome(shape, some, {9, 2}, side));
  }
  expect(values_outcome({28, 28}, {6}, {9, 2}, 8));
  expect(values_outcome({28, 28}, some, {9, 2}, std::numeric_limits<int>::max()));
}

TEST_CASE("cutout with more images than a device has blocks, and larger ones") {
  std::vector<int> many;
  for (int i = 0; i < 4200; ++i) many.push_back(i * 3 % COUNT);
  expect(values_outcome({3, 2}, many, {9, 2}, 1));
  expect(values_outcome({129, 150}, {3, 0}, {9, 2}, 40));
  // More bytes than shared memory holds.
  expect(values_outcome({500, 480}, {1}, {9, 2}, 300));
}

TEST_CASE("cutout of an image with more pixels than a float counts") {
  // The first of a row is then one with the last of the row before: a square that reaches beyond
  // the right border tells them apart.
  constexpr AugmentKey key{9, 2};
  constexpr int HEIGHT = 2160, WIDTH = 3840, SIDE = 3000;
  int image = 0;
  while (image < COUNT && cutout_square(key, image, HEIGHT, WIDTH, SIDE).right <= WIDTH) ++image;
  REQUIRE(image < COUNT);
  const WithoutRaces shorter_ones_tell;
  expect(values_outcome({HEIGHT, WIDTH}, {image}, key, SIDE));
}

TEST_CASE("cutout of as many images as there may be") {
  const LongBuffer<std::uint8_t> batch_labels;
  const LongBuffer<int> indices;
  const LongBuffer<float> batch;
  const DeviceBuffer<std::uint8_t> pixel(std::vector<std::uint8_t>{255}),
      label(std::vector<std::uint8_t>{7});
  MarkedParts results("the batch", batch.data(), kLongSize);
  results.add_ends("the batch's labels", batch_labels.data(), kLongSize);
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         const auto size = static_cast<std::size_t>(n);
         cutout({pixel.data(), 1, 1, 1, 1}, {label.data(), 1}, {indices.data(), size},
                {batch.data(), n, 1, 1, 1}, {batch_labels.data(), size}, {9, 2}, 0, stream);
       },
       "images"},
      [](int n) {
        std::vector<int> many;
        for (int i = 0; i < n; ++i) many.push_back(i % COUNT);
        return values_outcome({1, 1}, many, {9, 2}, 0);
      },
      4200, results));
  for (const int side : {28, 27}) expect(long_batch_outcome({side, side}));
}

TEST_CASE("cutout of an image as high, or as wide, as there may be") {
  const LongBuffer<std::uint8_t> pixels;
  const LongBuffer<float> batch;
  const DeviceBuffer<std::uint8_t> labels(std::vector<std::uint8_t>{7, 0});
  const DeviceBuffer<int> index(std::vector<int>{0});
  for (const bool is_high : {true, false}) {
    const auto shape_of = [=](int n) { return is_high ? Shape{n, 1} : Shape{1, n}; };
    expect(grid_reach_outcome(
        {[&](cudaStream_t stream, int n) {
           const auto [height, width] = shape_of(n);
           cutout({pixels.data(), 1, 1, height, width}, {labels.data(), 1}, {index.data(), 1},
                  {batch.data(), 1, 1, height, width}, {labels.data() + 1, 1}, {9, 2}, 0, stream);
         },
         "pixels"},
        [&](int n) {
          return values_outcome(shape_of(n), {0}, {9, 2}, 5);
        },
        480, MarkedParts("the batch", batch.data(), kLongSize)));
  }
}

TEST_CASE("cutout wherever its bytes and floats begin") {
  for (const std::size_t shift : {1, 2, 3}) {
    expect(values_outcome({16, 16}, {3, 0, 6}, {9, 2}, 5, shift));
  }
}

TEST_CASE("cutout of images that are far apart") {
  for (const int side : {28, 27}) expect(far_images_outcome({side, side}));
}

TEST_CASE("cutout depends on seed, epoch and the image's number, not on its place in the batch") {
  expect(values_outcome({28, 28}, {2, 2, 2}, {9, 2}, 10));
  for (const int epoch : {0, 1, 1000000}) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{9} << 40}) {
      expect(values_outcome({28, 28}, {4, 5, 6, 0}, {seed, epoch}, 10));
    }
  }
}

TEST_CASE("cutout refuses what does not fit") {
  const DeviceBuffer<std::uint8_t> pixels(300), labels(20);
  const DeviceBuffer<int> indices(5);
  const DeviceBuffer<float> batch(200);
  struct Arguments {
    int count = 10, channels = 1, height = 4, width = 3;
    std::size_t labels = 10, indices = 3;
    int n = 3, batch_channels = 1, batch_height = height, batch_width = width;
    std::size_t batch_labels = 3;
    int epoch = 0, side = 1;
  };
  for (const Arguments& a : {Arguments{.channels = 2},
                             {.channels = 0},
                             {.count = 9},
                             {.count = 11},
                             {.labels = 9},
                             {.labels = 11},
                             {.indices = 2},
                             {.indices = 4},
                             {.n = 2},
                             {.n = 4},
                             {.batch_channels = 0},
                             {.batch_channels = 2},
                             {.batch_height = 3},
                             {.batch_height = 5},
                             {.batch_width = 2},
                             {.batch_width = 4},
                             {.batch_height = 3, .batch_width = 4},  // as many pixels
                             {.batch_height = 12, .batch_width = 1},
                             {.batch_labels = 2},
                             {.batch_labels = 4},
                             {.count = 0, .labels = 0},
                             {.height = 0},
                             {.width = 0},
                             {.indices = 0, .n = 0, .batch_labels = 0},
                             {.epoch = -1},
                             {.side = -1}}) {
    const std::string text =
        std::to_string(a.count) + " images, " + std::to_string(a.channels) + " channels, " +
        std::to_string(a.height) + "x" + std::to_string(a.width) + ", " + std::to_string(a.labels) +
        " labels, " + std::to_string(a.indices) + " indices, a batch of " + std::to_string(a.n) +
        ", " + std::to_string(a.batch_channels) + " channels, " + std::to_string(a.batch_height) +
        "x" + std::to_string(a.batch_width) + ", " + std::to_string(a.batch_labels) +
        " labels, epoch " + std::to_string(a.epoch) + ", side " + std::to_string(a.side);
    expect(refusal_outcome("cutout of " + text, [&] {
      cutout({pixels.data(), a.count, a.channels, a.height, a.width}, {labels.data(), a.labels},
             {indices.data(), a.indices},
             {batch.data(), a.n, a.batch_channels, a.batch_height, a.batch_width},
             {labels.data(), a.batch_labels}, {1, a.epoch}, a.side);
    }));
  }
}

TEST_CASE("budget") {
  constexpr int SIDE = 32;
  const std::vector<int> indices{0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1};
  expect_budget("cutout", static_cast<double>(indices.size()) * (5.0 * SIDE * SIDE + 96), [&] {
    return values_outcome({SIDE, SIDE}, indices, {1, 2}, 24);
  });
  expect_single_stores([&] { return values_outcome({SIDE, SIDE}, indices, {1, 2}, 24); });
}

}  // namespace tut::ch16
