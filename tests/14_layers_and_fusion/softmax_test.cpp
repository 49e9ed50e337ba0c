#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "14_layers_and_fusion/separate_passes.hpp"
#include "14_layers_and_fusion/softmax_cross_entropy.hpp"
#include "guarded_vector.hpp"

namespace tut::ch14::test {
namespace {

// Scores and labels of one batch, fused and in passes, on the device.
struct Batch {
  int rows, classes;
  GuardedVector<float> scores, losses, d_scores, probabilities, losses_in_passes, d_in_passes;
  GuardedVector<std::uint8_t> labels;

  Batch(const std::vector<float>& host, int n, const std::vector<std::uint8_t>& host_labels)
      : rows(n),
        classes(static_cast<int>(host.size()) / n),
        scores(host),
        losses(static_cast<std::size_t>(n)),
        d_scores(host.size()),
        probabilities(host.size()),
        losses_in_passes(static_cast<std::size_t>(n)),
        d_in_passes(host.size()),
        labels(host_labels) {}

  MatrixView<float> view(const GuardedVector<float>& memory) const {
    return memory.matrix(rows, classes);
  }
  void fused() const {
    softmax_cross_entropy(view(scores), labels.span(), losses.span(), view(d_scores));
  }
  void in_passes() const {
    softmax_cross_entropy_in_passes(view(scores), labels.span(), view(probabilities),
                                    losses_in_passes.span(), view(d_in_passes));
  }
};

std::vector<std::uint8_t> some_labels(int rows, int classes) {
  std::vector<std::uint8_t> labels;
  for (int n = 0; n < rows; ++n) labels.push_back(static_cast<std::uint8_t>(n * 7 % classes));
  return labels;
}

}  // namespace

TEST_CASE("softmax with cross-entropy, fused and in passes, of any number of rows and classes") {
  for (const int rows : {1, 7, 8, 9, 64}) {
    for (const int classes : {1, 2, 10, 31, 32, 33, 101, 256}) {
      CAPTURE(rows);
      CAPTURE(classes);
      const std::vector<float> host =
          random_vector<float>(static_cast<std::size_t>(rows) * classes, 5, -6, 6);
      const std::vector<std::uint8_t> labels = some_labels(rows, classes);
      const Batch batch(host, rows, labels);
      batch.fused();
      batch.in_passes();
      std::vector<double> losses, gradients;
      for (int n = 0; n < rows; ++n) {
        double sum = 0;
        const float* z = &host[n * classes];
        for (int j = 0; j < classes; ++j) sum += std::exp(double{z[j]});
        losses.push_back(std::log(sum) - z[labels[n]]);
        for (int j = 0; j < classes; ++j) {
          gradients.push_back((std::exp(double{z[j]}) / sum - (j == labels[n])) / rows);
        }
      }
      check_near(batch.losses.read_double(), losses, 1e-6, 2e-6);
      check_near(batch.losses_in_passes.read_double(), losses, 1e-6, 2e-6);
      check_near(batch.d_scores.read_double(), gradients, 1e-6, 1e-6 / rows);
      check_near(batch.d_in_passes.read_double(), gradients, 1e-6, 1e-6 / rows);
      CHECK(same_bytes(batch.scores.read(), host));
      CHECK(same_bytes(batch.labels.read(), labels));

      const std::vector<float> first = batch.d_scores.read();
      batch.fused();
      CHECK(same_bytes(batch.d_scores.read(), first));
      // In place.
      softmax_cross_entropy(batch.view(batch.scores), batch.labels.span(), batch.losses.span(),
                            batch.view(batch.scores));
      CHECK(same_bytes(batch.scores.read(), first));
      check_near(batch.losses.read_double(), losses, 1e-6, 2e-6);
    }
  }
}

TEST_CASE("a sure and wrong answer has a finite loss fused, and an infinite one in passes") {
  const Batch batch({1000, -1000, 0, 500, 500, 500, -3e38f, 0, 3e38f}, 3, {1, 2, 2});
  batch.fused();
  batch.in_passes();
  const std::vector<float> losses = batch.losses.read();
  CHECK(losses[0] == 2000.0f);
  CHECK(losses[1] == doctest::Approx(std::log(3.0)));
  CHECK(losses[2] == 0.0f);
  CHECK(batch.losses_in_passes.read()[0] == std::numeric_limits<float>::infinity());
  const std::vector<double> gradient = batch.d_scores.read_double();
  check_near(gradient, {1.0 / 3, -1.0 / 3, 0, 1.0 / 9, 1.0 / 9, -2.0 / 9, 0, 0, 0}, 1e-6, 1e-9);
}

TEST_CASE("a NaN among the scores is in the loss of its row, and in no other") {
  for (const int place : {0, 5, 9}) {
    std::vector<float> host = random_vector<float>(20, 6);
    host[place] = NAN;
    const Batch batch(host, 2, {3, 4});
    batch.fused();
    CHECK(std::isnan(batch.losses.read()[0]));
    CHECK(std::isfinite(batch.losses.read()[1]));
    CHECK(std::isnan(batch.d_scores.read()[0]));
    CHECK(std::isfinite(batch.d_scores.read()[19]));
  }
}

TEST_CASE("softmax refuses more classes than a label can name") {
  const GuardedVector<float> memory(std::size_t{300});
  const GuardedVector<std::uint8_t> labels(std::size_t{1});
  CHECK_THROWS_AS(softmax_cross_entropy(memory.matrix(1, 257), labels.span(), {memory.data(), 1},
                                        memory.matrix(1, 257)),
                  std::invalid_argument);
  CHECK_THROWS_AS(softmax(memory.matrix(1, 257), memory.matrix(1, 257)), std::invalid_argument);
}

}  // namespace tut::ch14::test
