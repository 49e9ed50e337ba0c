#include "16_cnn_trainer/confusion_matrix.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "../14_layers_and_fusion/vector_image.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch16 {
namespace {

using ch14::span_of;
using ch14::vector_image;
using Bytes = std::vector<std::uint8_t>;

Bytes random_below(std::size_t size, int end, std::uint64_t seed) {
  Bytes bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(drawn_bits(seed, i) % static_cast<unsigned>(end)));
  }
  return bytes;
}

// Answers of a network that is right three times in four.
Bytes mostly_right(const Bytes& labels, int classes) {
  Bytes predictions = random_below(labels.size(), classes, 7);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (drawn_bits(8, i) % 4 != 0) predictions[i] = labels[i];
  }
  return predictions;
}

// Labels begin `shift` bytes off an aligned place, predictions 3 * shift.
Outcome values_outcome(const Bytes& some_labels, const Bytes& some_predictions, int classes,
                       std::size_t shift = 0) {
  auto labels = vector_image(some_labels, shift),
       predictions = vector_image(some_predictions, 3 * shift);
  // What is counted past the end must show.
  labels.surround(0);
  predictions.surround(0);
  Guarded<unsigned> counts(classes, classes, classes, 4096);
  HostMatrix<double> expected(classes, classes);
  for (int label = 0; label < classes; ++label) {
    for (int prediction = 0; prediction < classes; ++prediction) {
      // What other calls have counted: more than float tells apart, or int holds.
      const unsigned before = 3000000001u + static_cast<unsigned>(100 * label + prediction);
      counts.view()(label, prediction) = before;
      expected(label, prediction) = before;
    }
  }
  for (std::size_t i = 0; i < some_labels.size(); ++i) {
    const int label = some_labels[i], prediction = some_predictions[i];
    if (label < classes && prediction < classes) expected(label, prediction) += 1;
  }
  const auto labels_before = labels, predictions_before = predictions;
  const auto counts_before = counts;
  const std::string text = std::to_string(some_labels.size()) + " images, " +
                           std::to_string(classes) + " classes, " + std::to_string(shift) +
                           " bytes off an aligned place";
  counts.set_placement({.stride = 0});
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, auto l, auto a, auto c) {
        confusion_matrix(span_of(l), span_of(a), c, stream);
      },
      labels, predictions, counts);
  if (!run.ok) return run;
  HostMatrix<double> exact(classes, classes);
  exact.fill(0);
  return first_failure(
      {compare(counts.cview(), expected, exact, {.name = "counts", .shape = text}),
       only_inside_changed(counts_before, counts, "counts", text),
       nothing_changed(labels_before, labels, "labels", text, true),
       nothing_changed(predictions_before, predictions, "predictions", text, true)});
}

}  // namespace

TEST_CASE("confusion_matrix adds every pair to its count") {
  for (const std::size_t size : {1000, 1, 255, 256, 257, 8191, 8192, 8193, 20011}) {
    for (const int classes : {10, 1, 2, 17, 63, 64}) {
      const Bytes labels = random_below(size, classes, 1);
      expect(values_outcome(labels, mostly_right(labels, classes), classes));
    }
  }
}

TEST_CASE("confusion_matrix with more blocks than a device has") {
  Bytes labels = random_below(1100003, 10, 1), predictions = mostly_right(labels, 10);
  // Most in one place: more than a counter of 16 bits holds, though some blocks share them.
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i % 16 != 0) labels[i] = predictions[i] = 5;
  }
  expect(values_outcome(labels, predictions, 10));
}

TEST_CASE("confusion_matrix wherever its bytes begin") {
  const Bytes labels = random_below(4096, 10, 1);
  for (const std::size_t shift : {1, 2, 5}) {
    expect(values_outcome(labels, mostly_right(labels, 10), 10, shift));
  }
}

TEST_CASE("confusion_matrix has labels in rows") {
  for (const int label : {0, 3, 9}) {
    for (const int prediction : {0, 4, 9}) {
      expect(values_outcome({static_cast<std::uint8_t>(label)},
                            {static_cast<std::uint8_t>(prediction)}, 10));
    }
  }
}

TEST_CASE("confusion_matrix leaves out what is no class") {
  for (const int classes : {10, 64}) {
    const Bytes labels = random_below(9000, classes, 1),
                predictions = random_below(9000, classes, 2);
    const Bytes any_labels = random_below(9000, 256, 3), any_answers = random_below(9000, 256, 4);
    expect(values_outcome(any_labels, predictions, classes));
    expect(values_outcome(labels, any_answers, classes));
    expect(values_outcome(Bytes(300, 255), Bytes(300, 255), classes));
    expect(values_outcome(Bytes(300, static_cast<std::uint8_t>(classes)), Bytes(300, 0), classes));
    expect(values_outcome(Bytes(300, 0), Bytes(300, static_cast<std::uint8_t>(classes)), classes));
  }
}

TEST_CASE("confusion_matrix counts many in one place") {
  expect(values_outcome(Bytes(40000, 5), Bytes(40000, 5), 10));
  // More than 16 bits count in each of 64 blocks that share the images among them.
  const WithoutRaces without_races;
  const Bytes many(5'000'000, 4);
  expect(values_outcome(many, many, 10));
}

TEST_CASE("confusion_matrix refuses what does not fit") {
  const DeviceBuffer<std::uint8_t> classes(8);
  const DeviceBuffer<unsigned> memory(65 * 66);
  const auto labels = [&](std::size_t size) { return std::span(classes.data(), size); };
  const auto predictions = labels;
  const auto counts = [&](int rows, int cols, int stride) {
    return MatrixView<unsigned>{memory.data(), rows, cols, stride};
  };
  CHECK_THROWS_AS(confusion_matrix(labels(0), predictions(0), counts(10, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(0), predictions(8), counts(10, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(0), counts(10, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(7), counts(10, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(7), predictions(8), counts(10, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(10, 9, 9)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(10, 9, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(9, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(10, 11, 11)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(11, 10, 10)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(10, 10, 9)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(10, 10, 11)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(0, 0, 0)),
                  std::invalid_argument);
  CHECK_THROWS_AS(confusion_matrix(labels(8), predictions(8), counts(65, 65, 65)),
                  std::invalid_argument);
}

TEST_CASE("confusion_matrix of as many images as there may be") {
  const LongBuffer<std::uint8_t> labels, predictions;
  const LongBuffer<unsigned> counts(100);
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        confusion_matrix({labels.data(), size}, {predictions.data(), size},
                         {counts.data(), 10, 10, 10}, stream);
      },
      [](int n) {
        const Bytes some = random_below(static_cast<std::size_t>(n), 10, 1);
        return values_outcome(some, mostly_right(some, 10), 10);
      },
      1100003));
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 65536, BLOCKS = SIZE / CONFUSION_STRETCH;
  constexpr int CLASSES = 10;
  expect_budget("confusion_matrix", 2.0 * SIZE + 4.0 * BLOCKS * CLASSES * CLASSES, [] {
    const Bytes labels = random_below(SIZE, CLASSES, 1);
    return values_outcome(labels, mostly_right(labels, CLASSES), CLASSES);
  });
}

}  // namespace tut::ch16
