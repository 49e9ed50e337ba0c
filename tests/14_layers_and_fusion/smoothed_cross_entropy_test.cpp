#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "tut/grid_reach.hpp"
#include "vector_image.hpp"

namespace tut::ch14 {
namespace {

struct Case {
  int rows, classes;
  float smoothing;
  float offset = 0;  ///< of all scores: softmax does not see it, exp does
  float spread = 6;  ///< how far from the offset scores lie
};

std::vector<std::uint8_t> some_labels(int rows, int classes) {
  std::vector<std::uint8_t> labels;
  for (int n = 0; n < rows; ++n) {
    labels.push_back(static_cast<std::uint8_t>((n * 7 + classes - 1) % classes));  // the last first
  }
  return labels;
}

// Losses and gradient of one case, from the definition.
struct Reference {
  std::vector<double> losses, gradient;

  Reference(const Case& c, const float* scores, const std::vector<std::uint8_t>& labels) {
    for (int n = 0; n < c.rows; ++n) {
      const float* z = scores + std::size_t{1} * n * c.classes;
      const double largest = *std::max_element(z, z + c.classes);
      double sum = 0, total = 0;
      for (int j = 0; j < c.classes; ++j) {
        sum += std::exp(z[j] - largest);
        total += z[j];
      }
      const double s = c.smoothing;
      losses.push_back(std::log(sum) + largest - (1 - s) * z[labels[n]] - s * total / c.classes);
      for (int j = 0; j < c.classes; ++j) {
        const double target = (j == labels[n] ? 1 - s : 0) + s / c.classes;
        gradient.push_back((std::exp(z[j] - largest) / sum - target) / c.rows);
      }
    }
  }
};

Outcome run(const Case& c, const std::string& text, Guarded<float>& scores,
            Guarded<std::uint8_t>& labels, Guarded<float>& losses, Guarded<float>& d_scores) {
  return run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> x, MatrixView<std::uint8_t> l,
          MatrixView<float> loss, MatrixView<float> d) {
        smoothed_cross_entropy({x.data, c.rows, c.classes, c.classes}, span_of(l), c.smoothing,
                               span_of(loss), {d.data, c.rows, c.classes, c.classes}, stream);
      },
      scores, labels, losses, d_scores);
}

Outcome values_outcome(const Case& c, std::size_t shift = 0) {
  const std::size_t size = std::size_t{1} * c.rows * c.classes;
  const std::vector<std::uint8_t> host_labels = some_labels(c.rows, c.classes);
  Guarded<float> scores = vector_image(
                     uniform_values(size, 1, c.offset - c.spread, c.offset + c.spread), shift),
                 losses = result_image<float>(host_labels.size(), shift),
                 d_scores = result_image<float>(size, shift);
  Guarded<std::uint8_t> labels = vector_image(host_labels, shift);
  const Guarded<float> scores_before = scores, losses_before = losses, d_before = d_scores;
  const Guarded<std::uint8_t> labels_before = labels;
  const std::string text = std::to_string(c.rows) + " rows of " + std::to_string(c.classes) +
                           " classes, smoothing " + std::to_string(c.smoothing);
  if (Outcome outcome = run(c, text, scores, labels, losses, d_scores); !outcome.ok) return outcome;
  const Reference expected(c, scores_before.cview().data, host_labels);
  const double accuracy = 4e-6 + 4e-7 * (std::abs(c.offset) + c.spread);
  return first_failure(
      {near_outcome(losses_before, losses, expected.losses, 1e-6, accuracy, "losses", text),
       near_outcome(d_before, d_scores, expected.gradient, 1e-6, 1e-6 / c.rows, "d_scores", text),
       nothing_changed(scores_before, scores, "scores", text, true),
       nothing_changed(labels_before, labels, "labels", text, true)});
}

// A NaN in the middle row: there is no number in its results, and nothing else in the others'.
Outcome nan_outcome(int classes, int place) {
  const Case c{3, classes, 0.1f};
  std::vector<float> values = uniform_values(std::size_t{3} * classes, 1, -6, 6);
  values[static_cast<std::size_t>(classes + place)] = NOT_A_NUMBER;
  const std::vector<std::uint8_t> host_labels = some_labels(3, classes);
  Guarded<float> scores = vector_image(values), losses = result_image<float>(3),
                 d_scores = result_image<float>(values.size());
  Guarded<std::uint8_t> labels = vector_image(host_labels);
  losses.fill(0);
  d_scores.fill(0);
  const std::string text =
      std::to_string(classes) + " classes, NaN for class " + std::to_string(place);
  if (Outcome outcome = run(c, text, scores, labels, losses, d_scores); !outcome.ok) return outcome;
  for (int n = 0; n < 3; ++n) {
    for (int j = -1; j < classes; ++j) {
      const float got = j < 0 ? losses.cview()(0, n) : d_scores.cview()(0, n * classes + j);
      if (std::isnan(got) == (n == 1)) continue;
      return failure("values", (j < 0 ? "losses: row " : "d_scores: row ") + std::to_string(n) +
                                   " has " + std::to_string(got) +
                                   "; expected NaN in row 1 and only there (" + text + ")");
    }
  }
  return {};
}

}  // namespace

TEST_CASE("smoothed_cross_entropy is its definition, with its gradient") {
  for (const auto& [rows, classes] :
       {std::pair{5, 10}, {1, 1}, {3, 2}, {2, 127}, {3, 128}, {2, 129}, {4, 256}, {7, 33}}) {
    for (const float smoothing : {0.0f, 0.1f, 1.0f}) {
      expect(values_outcome({rows, classes, smoothing}));
    }
  }
}

TEST_CASE("smoothed_cross_entropy with more rows than a device has blocks") {
  expect(values_outcome({2100, 3, 0.1f}));
}

TEST_CASE("smoothed_cross_entropy wherever its numbers begin") {
  for (const std::size_t shift : {1, 2, 3}) expect(values_outcome({6, 64, 0.1f}, shift));
}

TEST_CASE("smoothed_cross_entropy does not overflow") {
  expect(values_outcome({3, 10, 0.1f, 200.0f}));
  expect(values_outcome({3, 10, 0.1f, -200.0f}));
  // Whoever misses the largest score: exp of what it exceeds the others by is infinite.
  for (const int classes : {10, 127, 128, 129, 256}) {
    expect(values_outcome({40, classes, 0.1f, 0.0f, 600.0f}));
  }
  expect(values_outcome({40, 10, 0.1f, 0.0f, 1e30f}));
  // All below whatever stands for "none yet", unless that is -infinity.
  expect(values_outcome({3, 10, 0.1f, -1e30f}));
}

TEST_CASE("smoothed_cross_entropy shows a score that is no number, in its row") {
  for (const int classes : {10, 129, 256}) {
    for (const int place : {0, classes - 1}) expect(nan_outcome(classes, place));
  }
}

TEST_CASE("smoothed_cross_entropy refuses what does not fit") {
  const DeviceBuffer<float> x(257);
  const DeviceBuffer<std::uint8_t> labels(2);
  CHECK_THROWS_AS(smoothed_cross_entropy({x.data(), 1, 257, 257}, {labels.data(), 1}, 0.1f,
                                         {x.data(), 1}, {x.data(), 1, 257, 257}),
                  std::invalid_argument);
  CHECK_THROWS_AS(smoothed_cross_entropy({x.data(), 1, 10, 10}, {labels.data(), 1}, 1.5f,
                                         {x.data(), 1}, {x.data(), 1, 10, 10}),
                  std::invalid_argument);
  CHECK_THROWS_AS(smoothed_cross_entropy({x.data(), 1, 10, 10}, {labels.data(), 1}, 0.1f,
                                         {x.data(), 2}, {x.data(), 1, 10, 10}),
                  std::invalid_argument);
  const auto call = [&](int stride, std::size_t label_count, float smoothing, int d_rows,
                        int d_stride) {
    smoothed_cross_entropy({x.data(), 2, 5, stride}, {labels.data(), label_count}, smoothing,
                           {x.data(), 2}, {x.data(), d_rows, 5, d_stride});
  };
  CHECK_THROWS_AS(call(6, 2, 0.1f, 2, 5), std::invalid_argument);
  CHECK_THROWS_AS(call(5, 2, 0.1f, 2, 6), std::invalid_argument);
  CHECK_THROWS_AS(call(5, 1, 0.1f, 2, 5), std::invalid_argument);
  CHECK_THROWS_AS(call(5, 2, -0.1f, 2, 5), std::invalid_argument);
  CHECK_THROWS_AS(call(5, 2, 0.1f, 1, 5), std::invalid_argument);
}

TEST_CASE("smoothed_cross_entropy of as many rows as there may be") {
  const LongBuffer<float> scores, losses, d_scores;
  const LongBuffer<std::uint8_t> labels;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto rows = static_cast<std::size_t>(n);
        smoothed_cross_entropy({scores.data(), n, 1, 1}, {labels.data(), rows}, 0.1f,
                               {losses.data(), rows}, {d_scores.data(), n, 1, 1}, stream);
      },
      [](int n) {
        return values_outcome({n, 1, 0.1f});
      },
      1000));
}

TEST_CASE("budget") {
  constexpr int ROWS = 64, CLASSES = 256;
  expect_budget("smoothed_cross_entropy", 8.0 * ROWS * CLASSES + 64.0 * ROWS, [] {
    return values_outcome({ROWS, CLASSES, 0.1f});
  });
}

}  // namespace tut::ch14
