// What the solutions of the exercises compute in the place of the course's kernels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../13_convolution/guarded_device.hpp"
#include "16_cnn_trainer/trainer/checkpoint/run_checkpoint.hpp"
#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"
#include "16_cnn_trainer/trainer/experiment/trainer.hpp"
#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"
#include "tut/data/choose.hpp"
#include "tut/data/drawn_digits.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

// Every operation that an exercise computes, with and without a step that leaves pixels over.
constexpr const char* kEverything =
    "input 1 28 28\nconv 4 5 stride 2\nrelu\nconv 6 3 padding 1 stride 3\nrelu\n"
    "conv 8 3 padding 1\nrelu\nmaxpool 2\ndropout 0.25\ndense 24\nrelu\ndense 10\n";

// Sums of thousands of products in another order: some 60 roundings, beside the largest value.
constexpr double kRounding = 4e-6;

Kernels all_own(const NetworkSpec& spec, Optimiser optimiser = Optimiser::sgd) {
  const KernelChoices choices =
      choose_kernels(spec, optimiser, [](std::string_view) { return Verdict::agrees; });
  Kernels kernels = reference_kernels();
  use_own(kernels, choices.own());
  return kernels;
}

struct Outcome {
  std::vector<float> losses, gradient;
};

Outcome pass(const NetworkSpec& spec, const Kernels& kernels, int images) {
  const data::Dataset set = data::draw_digits(static_cast<std::size_t>(images), 5);
  std::vector<float> pixels(set.images.begin(), set.images.end());
  for (float& pixel : pixels) pixel /= 255.0f;
  const DeviceBuffer<float> batch(pixels);
  const DeviceBuffer<std::uint8_t> labels(set.labels);
  DeviceBuffer<float> losses(set.size());
  Network network(spec, images + 3, NumberFormat::fp32, kernels);
  network.parameters().copy_from(initial_parameters(spec, 3));
  network.backward({batch.data(), images, 1, 28, 28}, {labels.data(), labels.size()},
                   {losses.data(), losses.size()}, {1, 2});
  return {losses.to_host(), network.gradient().to_host()};
}

// How many of the functions are not the reference's.
int replaced(const Kernels& kernels) {
  const Kernels reference = reference_kernels();
  const auto differ = [](const auto& a, const auto& b) {
    return a.target_type() == b.target_type() ? 0 : 1;
  };
  return differ(kernels.conv2d, reference.conv2d) +
         differ(kernels.conv2d_backward_input, reference.conv2d_backward_input) +
         differ(kernels.conv2d_backward_weights, reference.conv2d_backward_weights) +
         differ(kernels.dense, reference.dense) + differ(kernels.dense_relu, reference.dense_relu) +
         differ(kernels.dense_backward, reference.dense_backward) +
         differ(kernels.softmax_cross_entropy, reference.softmax_cross_entropy) +
         differ(kernels.relu, reference.relu) + differ(kernels.lion, reference.lion);
}

// The largest difference, relative to the largest value.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{b[i]}));
    const double here = std::abs(double{a[i]} - b[i]);
    apart = here <= apart ? apart : here;  // a NaN stays
  }
  return apart / largest;
}

}  // namespace

TEST_CASE("the solution of every exercise agrees with the course's kernels") {
  CHECK(own_kernels().size() == 10);
  for (const OwnKernel& kernel : own_kernels()) {
    CAPTURE(kernel.exercise);
    CHECK(std::filesystem::exists(kernel.file));
    CHECK(kernel.agrees());
  }
}

TEST_CASE("a whole network's gradient by the solutions is the reference's, but for rounding") {
  for (const char* text : {kEverything, "input 1 28 28\ndense 10\n"}) {
    const NetworkSpec spec = parse_network(text, "test");
    for (const int images : {1, 7, 64}) {
      CAPTURE(images);
      const Outcome own = pass(spec, all_own(spec), images);
      const Outcome reference = pass(spec, reference_kernels(), images);
      MESSAGE("gradient apart by " << difference(own.gradient, reference.gradient));
      CHECK(difference(own.losses, reference.losses) <= 1e-6);
      CHECK(difference(own.gradient, reference.gradient) <= kRounding);
    }
  }
  const NetworkSpec spec = parse_network(kEverything, "test");
  CHECK(!test::same_bits(pass(spec, all_own(spec), 7).gradient,
                         pass(spec, reference_kernels(), 7).gradient));
}

TEST_CASE("each operation is the solution's where it is asked for, and alone") {
  const NetworkSpec spec = parse_network(kEverything, "test");
  const Outcome reference = pass(spec, reference_kernels(), 9);
  const KernelChoices choices =
      choose_kernels(spec, Optimiser::sgd, [](std::string_view) { return Verdict::agrees; });
  REQUIRE(choices.all.size() == 8);
  for (const OwnOperation& own : choices.own()) {
    CAPTURE(own.exercises[0]);
    Kernels kernels = reference_kernels();
    use_own(kernels, {&own, 1});
    CHECK(difference(pass(spec, kernels, 9).gradient, reference.gradient) <= kRounding);
    CHECK(replaced(kernels) == 1);
  }
}

TEST_CASE("the solutions learn the drawn digits as the course's kernels do" *
          doctest::test_suite("long")) {
  const data::Split sets{data::draw_digits(4000, 1), data::draw_digits(1000, 2)};
  const NetworkSpec spec = load_network("small");
  const TrainOptions options{.epochs = 1, .learning_rate = 0.05f, .seed = 2};
  const auto accuracy = [&](const Kernels& kernels) {
    KernelModel model(sets, spec, options, kernels);
    Model* const models[] = {&model};
    return train(models, sets, options)[0][0].test_accuracy;
  };
  const double own = accuracy(all_own(spec)), reference = accuracy(reference_kernels());
  MESSAGE("test accuracy " << own << "; of the reference " << reference);
  CHECK(reference > 0.85);
  CHECK(std::abs(own - reference) <= 0.01);
}

TEST_CASE("lion trains by the exercise alone, and is resumed to the bit" *
          doctest::test_suite("long")) {
  const data::Split sets{data::draw_digits(600, 1), data::draw_digits(200, 2)};
  const NetworkSpec spec = load_network("small");
  TrainOptions options{.epochs = 2, .batch = 8, .learning_rate = 1e-3f, .seed = 4};
  options.optimiser = Optimiser::lion;
  options.weight_decay = 0.01f;
  options.own_kernels = {"lion"};
  CHECK_THROWS_AS(KernelModel(sets, spec, options), std::invalid_argument);

  const Kernels kernels = all_own(spec, Optimiser::lion);
  KernelModel whole(sets, spec, options, kernels);
  Model* const models[] = {&whole};
  std::vector<Checkpoint> saved;
  const auto results = train(models, sets, options, {.position = [&](const Position& position) {
                               saved.push_back(make_checkpoint(options, "drawn", position));
                               whole.save(saved.back());
                             }});
  CHECK(results[1][0].train_loss < 0.8 * results[0][0].train_loss);
  REQUIRE(saved.size() == 2);

  KernelModel resumed(sets, spec, options, kernels);
  Model* const rest[] = {&resumed};
  resumed.restore(saved[0], "run");
  train(rest, sets, options, {}, read_position(saved[0], options, "drawn", "run"));
  CHECK(test::same_bits(resumed.parameters(), whole.parameters()));

  // Other kernels would sum in another order.
  TrainOptions others = options;
  others.own_kernels = {"conv2d_dilated", "lion"};
  CHECK_THROWS_WITH_AS(
      read_position(saved[0], others, "drawn", "run"),
      "run: the checkpoint's run has the kernels of lion, and those of conv2d_dilated "
      "lion are asked for; expected what it was begun with",
      CheckpointError);
  others.own_kernels = {};
  CHECK_THROWS_AS(read_position(saved[0], others, "drawn", "run"), CheckpointError);
}
