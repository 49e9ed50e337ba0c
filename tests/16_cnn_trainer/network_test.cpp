#include "16_cnn_trainer/network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../13_convolution/guarded_device.hpp"
#include "16_cnn_trainer/architecture.hpp"
#include "16_cnn_trainer/classify.hpp"
#include "16_cnn_trainer/gather_batch.hpp"
#include "16_cnn_trainer/kernel_model.hpp"
#include "16_cnn_trainer/reference_cpu.hpp"
#include "double_network.hpp"
#include "tut/data/drawn_digits.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;
using namespace tut::test;
using L = ParameterLayout;

constexpr std::size_t kImageSize = 28 * 28;

// A batch of drawn digits with labels, on the host and on the device.
struct Batch {
  explicit Batch(int count)
      : set(data::draw_digits(static_cast<std::size_t>(count), 5)),
        pixels(set.images.begin(), set.images.end()),
        labels(set.labels) {
    for (float& pixel : pixels) pixel /= 255.0f;
    images.emplace(pixels);
    for (std::size_t n = 0; n < set.size(); ++n) {
      in_double.emplace_back(pixels.begin() + n * kImageSize,
                             pixels.begin() + (n + 1) * kImageSize);
    }
  }
  TensorView<const float> view() const {
    return {images->data(), static_cast<int>(set.size()), 1, 28, 28};
  }
  std::span<const std::uint8_t> device_labels() const { return {labels.data(), labels.size()}; }

  data::Dataset set;
  std::vector<float> pixels;
  DeviceBuffer<std::uint8_t> labels;
  std::optional<GuardedDevice> images;
  std::vector<std::vector<double>> in_double;
};

// Parameters with biases that are not zero, so that they matter.
std::vector<float> some_parameters() {
  std::vector<float> values = initial_parameters(3);
  for (const std::size_t bias : {L::conv1_bias, L::conv2_bias, L::dense_bias}) {
    for (std::size_t i = 0; i < 8; ++i) values[bias + i] = 0.02f * static_cast<float>(i) - 0.05f;
  }
  return values;
}

}  // namespace

TEST_CASE("the network's scores and losses are those of its definition") {
  for (const int count : {1, 5, 32, 33}) {
    CAPTURE(count);
    const Batch batch(count);
    Network network(64);
    network.parameters().copy_from(some_parameters());
    const DoubleNetwork reference(some_parameters());
    const GuardedDevice losses(static_cast<std::size_t>(count));
    network.backward(batch.view(), batch.device_labels(), losses.span());
    const auto view = network.forward(batch.view());
    std::vector<float> scores(static_cast<std::size_t>(count) * 10);
    check(cudaMemcpy(scores.data(), view.data, scores.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    const std::vector<float> got_losses = losses.read();
    for (int n = 0; n < count; ++n) {
      const std::vector<double> expected = reference.scores(batch.in_double[n]);
      for (int j = 0; j < 10; ++j) {
        CHECK(std::abs(scores[n * 10 + j] - expected[j]) <= 2e-5);
      }
      CHECK(std::abs(got_losses[n] - reference.loss({batch.in_double[n]}, {batch.set.labels[n]})) <=
            2e-5);
    }
  }
}

TEST_CASE("the network's gradient agrees with central differences in double") {
  for (const int count : {1, 6}) {
    CAPTURE(count);
    const Batch batch(count);
    Network network(8);
    network.parameters().copy_from(some_parameters());
    const GuardedDevice losses(static_cast<std::size_t>(count));
    network.backward(batch.view(), batch.device_labels(), losses.span());
    const std::vector<float> gradient = network.gradient().to_host();

    DoubleNetwork reference(some_parameters());
    double largest = 0;
    for (std::size_t i = 0; i < L::size; ++i) {
      // Every bias and first weight, and a sample of the rest.
      const bool in_sample = i < L::conv2_weights + 40 || i % 37 == 0 ||
                             (i >= L::conv2_bias && i < L::dense_weights) || i >= L::dense_bias;
      if (!in_sample) continue;
      CAPTURE(i);
      constexpr double step = 1e-6;
      double& parameter = reference.parameters[i];
      const double at = parameter;
      parameter = at + step;
      const double above = reference.loss(batch.in_double, batch.set.labels);
      parameter = at - step;
      const double below = reference.loss(batch.in_double, batch.set.labels);
      parameter = at;
      const double expected = (above - below) / (2 * step);
      CHECK(std::abs(gradient[i] - expected) <= 2e-5 * (1 + std::abs(expected)));
      largest = std::max(largest, std::abs(expected));
    }
    CHECK(largest > 0.1);  // the tolerance is small beside the gradient
  }
}

TEST_CASE("the kernels and the plain loops take the same steps") {
  const data::Split sets{data::draw_digits(100, 1), data::draw_digits(300, 2)};
  KernelModel kernels(sets, 7, 32);
  LoopModel loops(sets, 7);
  CHECK(kernels.parameters() == initial_parameters(7));
  CHECK(loops.parameters() == initial_parameters(7));
  const std::vector<int> order = epoch_order(100, 7, 0);
  for (const auto& [first, count] :
       std::vector<std::pair<int, int>>{{0, 32}, {32, 32}, {64, 1}, {65, 11}}) {
    const std::span indices(order.data() + first, static_cast<std::size_t>(count));
    kernels.train_batch(indices, {0.05f, 0.9f});
    loops.train_batch(indices, {0.05f, 0.9f});
    const auto a = kernels.parameters(), b = loops.parameters();
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      difference = std::max(difference, std::abs(double{a[i]} - b[i]));
    }
    CHECK(difference <= 1e-5);
    const LossSum one = kernels.take_loss(), other = loops.take_loss();
    CHECK(one.images == static_cast<std::size_t>(count));
    CHECK(other.images == one.images);
    CHECK(one.sum == doctest::Approx(other.sum).epsilon(1e-4));
  }
  CHECK(kernels.count_correct() <= 300);
  CHECK(std::abs(static_cast<int>(kernels.count_correct()) -
                 static_cast<int>(loops.count_correct())) <= 1);
}

TEST_CASE("the plain loops' results do not depend on the number of threads") {
  const data::Split sets{data::draw_digits(50, 1), data::draw_digits(30, 2)};
  const std::vector<int> order = epoch_order(50, 1, 0);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 5}) {
    LoopModel model(sets, 1, threads);
    model.train_batch(order, {0.1f, 0.9f});
    model.train_batch(order, {0.1f, 0.9f});
    results.push_back(model.parameters());
  }
  CHECK(same_bits(results[0], results[1]));
  CHECK(same_bits(results[0], results[2]));
}

TEST_CASE("a batch is gathered as its indices say, and scaled") {
  const data::Dataset set = data::draw_digits(20, 4);
  const DeviceBuffer<std::uint8_t> pixels(set.images), labels(set.labels);
  const std::vector<int> host_indices{19, 0, 7, 7};
  const DeviceBuffer<int> indices(host_indices);
  const GuardedDevice batch(4 * kImageSize);
  DeviceBuffer<std::uint8_t> batch_labels(4);
  gather_batch({pixels.data(), 20, 1, 28, 28}, {labels.data(), 20}, {indices.data(), 4},
               {batch.data(), 4, 1, 28, 28}, {batch_labels.data(), 4});
  const auto got = batch.read();
  for (std::size_t n = 0; n < 4; ++n) {
    const auto image = set.image(static_cast<std::size_t>(host_indices[n]));
    bool equal = true;
    for (std::size_t i = 0; i < kImageSize; ++i) {
      equal = equal && std::abs(got[n * kImageSize + i] - image[i] / 255.0f) <= 1e-7f;
    }
    CHECK(equal);
  }
  CHECK(batch_labels.to_host() == std::vector<std::uint8_t>{9, 0, 7, 7});
}

TEST_CASE("the answer is the first of the largest scores") {
  const GuardedDevice scores(std::vector<float>{1, 3, 2, 5, 5, 4, -3, -2, -2});
  DeviceBuffer<std::uint8_t> answers(3);
  classify({scores.data(), 3, 3, 3}, {answers.data(), 3});
  CHECK(answers.to_host() == std::vector<std::uint8_t>{1, 0, 1});
}

TEST_CASE("the network refuses what does not fit") {
  Network network(4);
  const Batch batch(5);
  CHECK_THROWS_AS(network.forward(batch.view()), std::invalid_argument);
  data::Split sets{data::draw_digits(10, 1), data::draw_digits(10, 2)};
  KernelModel model(sets, 1, 4);
  CHECK_THROWS_AS(model.train_batch({}, {0.1f, 0.9f}), std::invalid_argument);
  CHECK_THROWS_AS(KernelModel(sets, 1, 0), std::invalid_argument);
  sets.test.rows = 14;
  CHECK_THROWS_AS(KernelModel(sets, 1, 4), std::invalid_argument);
  CHECK_THROWS_AS(LoopModel(sets, 1), std::invalid_argument);
}

TEST_CASE("the order of an epoch is a permutation, another one in every epoch and for every seed") {
  const std::vector<int> order = epoch_order(1000, 1, 0);
  std::vector<bool> seen(1000);
  for (const int index : order) seen.at(static_cast<std::size_t>(index)) = true;
  CHECK(std::count(seen.begin(), seen.end(), true) == 1000);
  CHECK(epoch_order(1000, 1, 0) == order);
  CHECK(epoch_order(1000, 1, 1) != order);
  CHECK(epoch_order(1000, 2, 0) != order);
  CHECK(initial_parameters(1) != initial_parameters(2));
}
