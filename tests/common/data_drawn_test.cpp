#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "tut/data/choose.hpp"
#include "tut/data/counter_random.hpp"
#include "tut/data/drawn_digits.hpp"

namespace {

using tut::data::Dataset;
using tut::data::draw_digits;

// FNV-1a, 64 bits.
std::uint64_t digest(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

// Softmax regression by stochastic gradient descent with momentum and a falling learning rate.
class LinearClassifier {
 public:
  // Returns the mean loss of the epoch.
  double train_epoch(const Dataset& set, int epoch, float rate) {
    tut::data::CounterRandom random(99, static_cast<std::uint64_t>(epoch));
    double loss = 0;
    for (std::size_t start = 0; start + kBatch <= set.size(); start += kBatch) {
      std::fill(gradient_.begin(), gradient_.end(), Row{});
      for (std::size_t i = 0; i < kBatch; ++i) {
        loss += add_gradient(set, random.below(static_cast<int>(set.size())));
      }
      for (std::size_t p = 0; p < weights_.size(); ++p) {
        for (std::size_t k = 0; k < kPadded; ++k) {
          velocity_[p][k] = 0.9f * velocity_[p][k] + gradient_[p][k] / kBatch;
          weights_[p][k] -= rate * velocity_[p][k];
        }
      }
    }
    return loss / static_cast<double>(set.size());
  }

  double accuracy(const Dataset& set) const {
    std::size_t correct = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const Row z = scores(set, i);
      correct += std::max_element(z.begin(), z.begin() + 10) - z.begin() == set.labels[i];
    }
    return static_cast<double>(correct) / static_cast<double>(set.size());
  }

 private:
  static constexpr std::size_t kPixels = 28 * 28;
  static constexpr std::size_t kBatch = 50;
  static constexpr std::size_t kPadded = 12;  // ten classes, padded for the compiler's vectors
  using Row = std::array<float, kPadded>;

  Row scores(const Dataset& set, std::size_t index) const {
    const auto image = set.image(index);
    Row z = weights_[kPixels];
    for (std::size_t p = 0; p < kPixels; ++p) {
      const float x = static_cast<float>(image[p]) / 255.0f;
      for (std::size_t k = 0; k < kPadded; ++k) z[k] += x * weights_[p][k];
    }
    return z;
  }

  double add_gradient(const Dataset& set, int index) {
    Row z = scores(set, static_cast<std::size_t>(index));
    const float largest = *std::max_element(z.begin(), z.begin() + 10);
    const std::size_t label = set.labels[static_cast<std::size_t>(index)];
    const float score = z[label];
    float sum = 0;
    for (std::size_t k = 0; k < 10; ++k) sum += z[k] = std::exp(z[k] - largest);
    for (std::size_t k = 0; k < 10; ++k) z[k] = z[k] / sum - (k == label ? 1.0f : 0.0f);
    z[10] = z[11] = 0;
    const auto image = set.image(static_cast<std::size_t>(index));
    for (std::size_t p = 0; p < kPixels; ++p) {
      const float x = static_cast<float>(image[p]) / 255.0f;
      for (std::size_t k = 0; k < kPadded; ++k) gradient_[p][k] += x * z[k];
    }
    for (std::size_t k = 0; k < kPadded; ++k) gradient_[kPixels][k] += z[k];
    return std::log(sum) + largest - score;
  }

  // One row a pixel, and the bias.
  std::vector<Row> weights_ = std::vector<Row>(kPixels + 1);
  std::vector<Row> velocity_ = weights_;
  std::vector<Row> gradient_ = weights_;
};

}  // namespace

TEST_CASE("data: the drawn digits are the same on every machine and for any number of threads") {
  const Dataset one = draw_digits(1000, 7, 1);
  for (const int threads : {2, 3, 7, 0}) {
    CAPTURE(threads);
    const Dataset many = draw_digits(1000, 7, threads);
    CHECK(many.images == one.images);
    CHECK(many.labels == one.labels);
  }
  CHECK(digest(one.images) == 0x4d5ddc30346de858);
  CHECK(digest(draw_digits(1000, 8).images) != digest(one.images));
}

TEST_CASE("data: the first drawn digits of a longer set are the shorter set") {
  const Dataset longer = draw_digits(200, 3), shorter = draw_digits(70, 3);
  CHECK(std::equal(shorter.images.begin(), shorter.images.end(), longer.images.begin()));
  CHECK(draw_digits(0, 3).size() == 0);
}

TEST_CASE("data: drawn digits are all different, of every class, and inked") {
  const Dataset set = draw_digits(500, 11);
  CHECK(set.rows == 28);
  CHECK(set.cols == 28);
  CHECK(set.classes == 10);
  std::set<std::vector<std::uint8_t>> seen;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto image = set.image(i);
    CHECK(set.labels[i] == i % 10);
    seen.emplace(image.begin(), image.end());
    CHECK(std::count_if(image.begin(), image.end(), [](int pixel) { return pixel > 120; }) > 8);
  }
  CHECK(seen.size() == set.size());
}

TEST_CASE("data: a linear classifier, trained until it stops improving, stays below 93 %") {
  const tut::data::Split sets = tut::data::drawn_split();
  CHECK(sets.train.size() == 20000);
  LinearClassifier model;
  constexpr int kEpochs = 24;
  double best = 0;
  std::vector<double> losses;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const float rate = 0.1f * static_cast<float>(kEpochs - epoch) / kEpochs;
    losses.push_back(model.train_epoch(sets.train, epoch, rate));
    best = std::max(best, model.accuracy(sets.test));
  }
  MESSAGE("best test accuracy " << best << ", training loss " << losses.back());
  CHECK(best < 0.93);
  CHECK(best > 0.75);                                 // it did learn
  CHECK(losses.back() > 0.97 * losses[kEpochs - 3]);  // and had nothing left to learn
}
