#include "14_layers_and_fusion/smoothed_cross_entropy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/far_ends.hpp"
#include "tut/trial/grid_reach.hpp"
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

Outcome values_outcome(const Case& c, const std::vector<float>& values, std::size_t shift = 0) {
  const std::size_t size = values.size();
  const std::vector<std::uint8_t> host_labels = some_labels(c.rows, c.classes);
  Guarded<float> scores = vector_image(values, shift),
                 losses = result_image<float>(host_labels.size(), shift),
                 d_scores = result_image<float>(size, shift);
  Guarded<std::uint8_t> labels = vector_image(host_labels, shift);
  const Guarded<float> scores_before = scores, losses_before = losses, d_before = d_scores;
  const Guarded<std::uint8_t> labels_before = labels;
  const std::string text = std::to_string(c.rows) + " rows of " + std::to_string(c.classes) +
                           " classes, smoothing " + number_text(c.smoothing);
  if (Outcome outcome = run(c, text, scores, labels, losses, d_scores); !outcome.ok) return outcome;
  const Reference expected(c, scores_before.cview().data, host_labels);
  const double accuracy = 4e-6 + 4e-7 * (std::abs(c.offset) + c.spread);
  return first_failure(
      {near_outcome(losses_before, losses, expected.losses, 1e-6, accuracy, "losses", text),
       near_outcome(d_before, d_scores, expected.gradient, 0, 1e-6 / c.rows, "d_scores", text),
       nothing_changed(scores_before, scores, "scores", text, true),
       nothing_changed(labels_before, labels, "labels", text, true)});
}

Outcome values_outcome(const Case& c, std::size_t shift = 0) {
  const std::size_t size = std::size_t{1} * c.rows * c.classes;
  return values_outcome(c, uniform_values(size, 1, c.offset - c.spread, c.offset + c.spread),
                        shift);
}

// Scores at both ends of their range, so that the differences of a row's add up to most: all of a
// row but one at one end, all but the label's, and all.
Outcome ends_outcome(int classes, float end) {
  const Case c{5, classes, 0.1f, 0.0f, end};
  const std::vector<std::uint8_t> labels = some_labels(c.rows, classes);
  std::vector<float> values;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    for (int j = 0; j < classes; ++j) {
      const bool first = j == 0, label = j == labels[n];
      const bool high[] = {first, !first, label, !label, true};
      values.push_back(high[n] ? end : -end);
    }
  }
  return values_outcome(c, values);
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
                                   " has " + value_text(got) +
                                   "; expected NaN in row 1 and only there (" + text + ")");
    }
  }
  return {};
}

/// Scores of -infinity: the first half of the classes, all but the label, each third one, and those
/// that lie 32 before another, and the label's alone. The gradient is what it would be if they were
/// very far below, and the loss is infinite.
Outcome masked_outcome(int classes, float smoothing) {
  constexpr int ROWS = 5, LABEL_ALONE = 4;  // masked in that row
  const Case c{ROWS, classes, smoothing};
  const std::vector<std::uint8_t> host_labels = some_labels(ROWS, classes);
  std::vector<float> values = uniform_values(std::size_t{ROWS} * classes, 1, -6, 6);
  for (int j = 0; j < classes; ++j) {
    const bool masks[ROWS] = {j < classes / 2, true, j % 3 == 0, j + 32 < classes, false};
    for (int n = 0; n < ROWS; ++n) {
      const bool is_label = j == host_labels[static_cast<std::size_t>(n)];
      if (is_label ? n == LABEL_ALONE : masks[n]) {
        values[static_cast<std::size_t>(n * classes + j)] = -INF;
      }
    }
  }
  Guarded<float> scores = vector_image(values), losses = result_image<float>(ROWS),
                 d_scores = result_image<float>(values.size());
  Guarded<std::uint8_t> labels = vector_image(host_labels);
  const Guarded<float> losses_before = losses, d_before = d_scores;
  const std::string text = std::to_string(classes) + " classes, some scores -infinity, smoothing " +
                           number_text(smoothing);
  if (Outcome outcome = run(c, text, scores, labels, losses, d_scores); !outcome.ok) return outcome;
  const Reference expected(c, values.data(), host_labels);
  const Outcome gradient =
      near_outcome(d_before, d_scores, expected.gradient, 0, 1e-6 / ROWS, "d_scores", text);
  if (!gradient.ok || smoothing == 0.0f || smoothing == 1.0f) return gradient;
  return near_outcome(losses_before, losses, expected.losses, 1e-6, 7e-6, "losses", text);
}

/// More than 2^32 scores, all of them 0 but the last.
Outcome far_outcome(int classes) {
  constexpr int LESS = 16'000'000, ROWS = 5 << 22;
  const std::size_t size = std::size_t{ROWS} * static_cast<std::size_t>(classes);
  const std::size_t last_place = size - 1;
  const std::size_t wrapped_place = last_place - (std::size_t{1} << 32);  // by 32 bits
  const LongBuffer<float> scores(size), losses(ROWS), d_scores(size);
  const LongBuffer<std::uint8_t> labels(ROWS);
  if (simt_run_ends != nullptr) {
    set_element(scores.data(), last_place, 8.0f);
    set_element(labels.data(), ROWS - 1, static_cast<std::uint8_t>(classes - 1));
  }
  const std::string text = "as many as " + std::to_string(ROWS) + " rows of " +
                           std::to_string(classes) + " classes, of which only the ends are run";
  return far_ends_outcome(
      text,
      [&](cudaStream_t stream, int n) {
        const auto rows = static_cast<std::size_t>(n);
        smoothed_cross_entropy({scores.data(), n, classes, classes}, {labels.data(), rows}, 0.1f,
                               {losses.data(), rows}, {d_scores.data(), n, classes, classes},
                               stream);
      },
      LESS, ROWS,
      [&](bool goes_round) -> Outcome {
        // Blocks that go round need not come to the last row: the last loss tells how far they
        // came.
        const std::size_t row = goes_round ? last_written(losses.data(), ROWS) : ROWS - 1;
        const double target = 0.9 + 0.1 / classes, largest = std::exp(8.0);
        const double first = (1.0 / classes - target) / ROWS,
                     last = row == ROWS - 1 ? (largest / (largest + classes - 1) - target) / ROWS
                                            : 0.9 / classes / ROWS;
        const std::size_t place = (row + 1) * static_cast<std::size_t>(classes) - 1;
        const float got_first = element_at(d_scores.data(), 0),
                    got_last = element_at(d_scores.data(), place),
                    wrapped = goes_round ? 0.0f : element_at(d_scores.data(), wrapped_place);
        const double bound = 1e-6 / ROWS;
        if (std::abs(got_first - first) <= bound && std::abs(got_last - last) <= bound &&
            wrapped == 0.0f) {
          return {};
        }
        return failure("values", "d_scores has " + value_text(got_first) + " at its first place, " +
                                     value_text(got_last) + " at the last of row " +
                                     std::to_string(row) + " and " + value_text(wrapped) +
                                     " 2^32 before that; expected " + value_text(first) + ", " +
                                     value_text(last) + " and 0 (" + text +
                                     "): are offsets computed in 64 bits?");
      });
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

TEST_CASE("smoothed_cross_entropy of any number of classes") {
  for (int classes = 1; classes <= 256; ++classes) expect(values_outcome({2, classes, 0.1f}));
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
  // If the largest score is not subtracted, exp of its distance to the others is infinite.
  for (const int classes : {10, 127, 128, 129, 256}) {
    expect(values_outcome({40, classes, 0.1f, 0.0f, 600.0f}));
  }
  expect(values_outcome({40, 10, 0.1f, 0.0f, 1e30f}));
  expect(values_outcome({3, 256, 0.1f, 0.0f, 1e36f}));
  for (const int classes : {2, 10, 256}) expect(ends_outcome(classes, 1e36f));
  // All below whatever stands for "none yet", unless that is -infinity.
  expect(values_outcome({3, 10, 0.1f, -1e30f}));
}

TEST_CASE("smoothed_cross_entropy shows a score that is no number, in its row") {
  for (const int classes : {1, 10, 33, 129, 256}) {
    const int step = classes > 33 ? 11 : 1;  // every place, or some of each warp's
    for (int place = 0; place < classes; place += step) expect(nan_outcome(classes, place));
    expect(nan_outcome(classes, classes - 1));
  }
}

TEST_CASE("smoothed_cross_entropy with classes that are masked") {
  for (const int classes : {2, 10, 33, 64, 129, 256}) {
    for (const float smoothing : {0.0f, 0.1f, 1.0f}) expect(masked_outcome(classes, smoothing));
  }
}

TEST_CASE("smoothed_cross_entropy refuses what does not fit") {
  const DeviceBuffer<float> x(514);
  const DeviceBuffer<std::uint8_t> labels(3);
  struct Arguments {
    int rows = 2, classes = 5, stride = classes, d_rows = rows, d_classes = classes,
        d_stride = d_classes;
    std::size_t labels = 2, losses = 2;
    float smoothing = 0.1f;
  };
  for (const Arguments& a : {Arguments{.classes = 257},
                             {.classes = 0},
                             {.rows = 0, .labels = 0, .losses = 0},
                             {.stride = 6},
                             {.stride = 6, .d_stride = 6},
                             {.d_rows = 1},
                             {.d_rows = 3},
                             {.d_classes = 4},
                             {.d_classes = 6},
                             {.d_rows = 5, .d_classes = 2},
                             {.d_stride = 6},
                             {.labels = 1},
                             {.labels = 3},
                             {.losses = 1},
                             {.losses = 3},
                             {.smoothing = 1.5f},
                             {.smoothing = -0.1f},
                             {.smoothing = NOT_A_NUMBER}}) {
    const std::string text =
        std::to_string(a.classes) + " classes, stride " + std::to_string(a.stride) +
        ", a gradient of " + std::to_string(a.d_rows) + " x " + std::to_string(a.d_classes) +
        ", stride " + std::to_string(a.d_stride) + ", " + std::to_string(a.labels) + " labels, " +
        std::to_string(a.losses) + " losses, smoothing " + number_text(a.smoothing);
    INFO(text);
    CHECK_THROWS_AS(
        smoothed_cross_entropy({x.data(), a.rows, a.classes, a.stride}, {labels.data(), a.labels},
                               a.smoothing, {x.data(), a.losses},
                               {x.data(), a.d_rows, a.d_classes, a.d_stride}),
        std::invalid_argument);
  }
}

TEST_CASE("smoothed_cross_entropy of as many rows as there may be") {
  const LongBuffer<float> scores, losses, d_scores;
  const LongBuffer<std::uint8_t> labels;
  MarkedParts results("losses", losses.data(), kLongSize);
  results.add_ends("d_scores", d_scores.data(), kLongSize);
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         const auto rows = static_cast<std::size_t>(n);
         smoothed_cross_entropy({scores.data(), n, 1, 1}, {labels.data(), rows}, 0.1f,
                                {losses.data(), rows}, {d_scores.data(), n, 1, 1}, stream);
       },
       "rows"},
      [](int n) {
        return values_outcome({n, 1, 0.1f});
      },
      1000, results));
}

TEST_CASE("smoothed_cross_entropy of more scores than 32 bits count") {
  for (const int classes : {256, 255}) expect(far_outcome(classes));
}

TEST_CASE("budget") {
  constexpr int ROWS = 64, CLASSES = 256;
  expect_budget("smoothed_cross_entropy", 8.0 * ROWS * CLASSES + 64.0 * ROWS, [] {
    return values_outcome({ROWS, CLASSES, 0.1f});
  });
  for (const int classes : {64, 250}) {
    expect_cost(8.0 * ROWS * classes + 64.0 * ROWS, [classes] {
      return values_outcome({ROWS, classes, 0.1f});
    });
  }
}

}  // namespace tut::ch14
