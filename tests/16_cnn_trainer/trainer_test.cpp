#include "16_cnn_trainer/trainer/experiment/trainer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "../13_convolution/guarded_device.hpp"
#include "../common/data_files.hpp"
#include "16_cnn_trainer/trainer/checkpoint/run_checkpoint.hpp"
#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"
#include "16_cnn_trainer/trainer/experiment/reference_cpu.hpp"
#include "tut/data/choose.hpp"
#include "tut/data/drawn_digits.hpp"
#include "tut/data/idx.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

data::Split small_sets(std::size_t train, std::size_t test) {
  return {data::draw_digits(train, 1), data::draw_digits(test, 2)};
}

struct Run {
  std::vector<EpochResult> epochs;
  std::vector<float> parameters;
};

NetworkSpec small_network() { return load_network("small"); }

Run run(const data::Split& sets, const TrainOptions& options,
        const NetworkSpec& network = small_network()) {
  KernelModel model(sets, network, options);
  Model* const models[] = {&model};
  Run result;
  for (const auto& epoch : train(models, sets, options)) result.epochs.push_back(epoch[0]);
  result.parameters = model.parameters();
  return result;
}

}  // namespace

TEST_CASE("the network learns the drawn digits past 97 %, which no linear classifier does" *
          doctest::test_suite("long")) {
  const data::Split sets = data::drawn_split();
  const Run result = run(sets, {.epochs = 2});
  REQUIRE(result.epochs.size() == 2);
  MESSAGE("test accuracy " << result.epochs[0].test_accuracy << ", then "
                           << result.epochs[1].test_accuracy);
  CHECK(result.epochs[0].epoch == 1);
  CHECK(result.epochs[1].train_loss < result.epochs[0].train_loss);
  CHECK(result.epochs[1].test_accuracy > 0.97);
  CHECK(result.epochs[1].test_accuracy <= 1.0);
  CHECK(result.epochs[1].images_per_second > 0);
}

TEST_CASE("trainer: a seed fixes a run to the bit; another seed gives another") {
  const data::Split sets = small_sets(401, 100);  // the last batch is smaller
  const TrainOptions options{.epochs = 2, .batch = 64, .seed = 5};
  const Run first = run(sets, options), second = run(sets, options);
  CHECK(test::same_bits(first.parameters, second.parameters));
  CHECK(first.epochs[1].train_loss == second.epochs[1].train_loss);
  CHECK(first.epochs[1].test_accuracy == second.epochs[1].test_accuracy);
  TrainOptions other = options;
  other.seed = 6;
  CHECK(!test::same_bits(run(sets, other).parameters, first.parameters));
}

TEST_CASE("models trained side by side see the same batches" * doctest::test_suite("long")) {
  const data::Split sets = small_sets(3000, 500);
  const TrainOptions options{.epochs = 1, .batch = 50, .seed = 2};
  KernelModel kernels(sets, small_network(), options);
  CpuReferenceModel loops(sets, options.seed);
  Model* const models[] = {&kernels, &loops};
  std::vector<std::size_t> seen;
  int epochs = 0;
  const auto results =
      train(models, sets, options,
            {.progress = [&](const Progress& progress) { seen.push_back(progress.images); },
             .epoch = [&](std::span<const EpochResult> both) { epochs += both.size() == 2; }});
  CHECK(epochs == 1);
  CHECK(seen == std::vector<std::size_t>{2050, 3000});
  REQUIRE(results[0].size() == 2);
  CHECK(results[0][0].train_loss == doctest::Approx(results[0][1].train_loss).epsilon(0.01));
  CHECK(results[0][0].test_accuracy == doctest::Approx(results[0][1].test_accuracy).epsilon(0.02));
}

TEST_CASE("the trainer refuses a batch larger than the set, and says when a run diverges") {
  const data::Split sets = small_sets(100, 20);
  CHECK_THROWS_WITH_AS(run(sets, {.batch = 101}),
                       "the batch is 101; expected at most the 100 images of the training set",
                       std::invalid_argument);
  CHECK(run(sets, {.epochs = 1, .batch = 100}).epochs.size() == 1);
  CHECK(run(sets, {.epochs = 1, .batch = 1}).epochs.size() == 1);
  CHECK_THROWS_AS(run(sets, {.epochs = 0}), std::invalid_argument);
  CHECK_THROWS_AS(run(sets, {.epochs = 50, .batch = 10, .learning_rate = 1e20f}),
                  std::runtime_error);
}

TEST_CASE("a run has diverged if it is worse than a guess, or the same to every image") {
  const auto has = [](EpochResult last, std::uint64_t steps = 1000) {
    return divergence(last, steps, 10).has_value();
  };
  CHECK(has({.epoch = 2, .train_loss = 7.8e9, .test_accuracy = 0.1}));
  CHECK(has({.epoch = 1, .train_loss = 7.8e9, .test_accuracy = 0.1, .one_prediction = true}));
  CHECK(has({.epoch = 3, .train_loss = 2.3645, .test_accuracy = 0.1, .one_prediction = true}));
  CHECK(has({.epoch = 3, .train_loss = 2.301, .test_accuracy = 0.1135, .one_prediction = true}));
  // Slow, or with an unlucky beginning; and one prediction after a few steps.
  CHECK(!has({.epoch = 3, .train_loss = 3.1585, .test_accuracy = 0.0867}));
  CHECK(!has({.epoch = 2, .train_loss = 2.31, .test_accuracy = 0.1, .one_prediction = true}, 16));
  CHECK(!has({.epoch = 1, .train_loss = 18.7, .test_accuracy = 0.6}));
  CHECK(!has({.epoch = 1, .train_loss = 2.31, .test_accuracy = 0.1, .one_prediction = true}));
  CHECK(!has({.epoch = 5, .train_loss = 0.5, .test_accuracy = 1, .one_prediction = true}));
  CHECK(*divergence({.epoch = 3, .train_loss = 2.3645, .one_prediction = true}, 90, 10) ==
        "the run has diverged: in epoch 3 the loss is 2.365, where a guess has 2.303, and every "
        "test image gets the same prediction; try a smaller --lr, or --warmup 1");
}

namespace {

constexpr const char* kEverything =
    "input 1 28 28\nconv 4 5 stride 2\nbatchnorm\nrelu\nmaxpool 2\ndropout 0.25\n"
    "dense 16\nrelu\ndropout 0.5\ndense 10\n";

// Trains, with a checkpoint at each position; at each of them the rest is trained anew from the
// file. Returns how many ends differed from the first in a bit.
int differences_after_resuming(const data::Split& sets, const TrainOptions& options,
                               const NetworkSpec& network) {
  const test::TemporaryFolder folder;
  std::vector<std::filesystem::path> files;
  KernelModel whole(sets, network, options);
  Model* const models[] = {&whole};
  const auto results = train(models, sets, options, {.position = [&](const Position& position) {
                               Checkpoint checkpoint = make_checkpoint(options, "drawn", position);
                               whole.save(checkpoint);
                               files.push_back(folder.path() / std::to_string(files.size()));
                               write_checkpoint(files.back(), checkpoint);
                             }});
  REQUIRE(files.size() >= 2);
  int differences = 0;
  for (const auto& file : files) {
    KernelModel resumed(sets, network, options);
    Model* const rest[] = {&resumed};
    const Checkpoint checkpoint = read_checkpoint(file);
    resumed.restore(checkpoint, file);
    const auto again =
        train(rest, sets, options, {}, read_position(checkpoint, options, "drawn", file));
    bool same =
        test::same_bits(whole.parameters(), resumed.parameters()) && again.size() == results.size();
    for (std::size_t e = 0; same && e < again.size(); ++e) {
      same = again[e][0].train_loss == results[e][0].train_loss &&
             again[e][0].test_accuracy == results[e][0].test_accuracy;
    }
    if (!same) ++differences;
  }
  return differences;
}

}  // namespace

TEST_CASE("a run that is resumed from any of its checkpoints ends the same, to the bit" *
          doctest::test_suite("long")) {
  const data::Split sets = small_sets(2500, 100);
  TrainOptions options{.epochs = 2, .batch = 50, .accumulate = 2, .seed = 3};
  options.augment = true;
  options.weight_decay = 1e-3f;
  options.warmup = 0.5f;
  options.decay = Decay::cosine;
  CHECK(differences_after_resuming(sets, options, parse_network(kEverything, "all")) == 0);
  options.accumulate = 1;
  options.optimiser = Optimiser::adam;
  options.learning_rate = 1e-3f;
  CHECK(differences_after_resuming(sets, options, parse_network(kEverything, "all")) == 0);
}

TEST_CASE("runs on tensor cores are resumed to the bit, in half with the loss scale" *
          doctest::test_suite("long")) {
  const data::Split sets = small_sets(2200, 50);
  TrainOptions options{.epochs = 1, .batch = 128, .seed = 3};
  for (const NumberFormat format : {NumberFormat::fp16, NumberFormat::tf32}) {
    CAPTURE(to_string(format));
    options.format = format;
    CHECK(differences_after_resuming(sets, options, parse_network(kEverything, "all")) == 0);
  }
}

TEST_CASE("a checkpoint of another run is refused by the option that differs") {
  const TrainOptions options{.epochs = 2, .batch = 50};
  const Checkpoint checkpoint = make_checkpoint(options, "drawn", {});
  CHECK(read_position(checkpoint, options, "drawn", "run.ckpt").step == 0);
  TrainOptions other = options;
  other.batch = 64;
  CHECK_THROWS_WITH_AS(
      read_position(checkpoint, other, "drawn", "run.ckpt"),
      "run.ckpt: the checkpoint's run has batch 50, and 64 is asked for; expected what "
      "it was begun with",
      CheckpointError);
  CHECK_THROWS_WITH_AS(
      read_position(checkpoint, options, "mnist", "run.ckpt"),
      "run.ckpt: the checkpoint's run has data drawn, and mnist is asked for; expected "
      "what it was begun with",
      CheckpointError);
}

TEST_CASE("batches whose gradients are added up are one large batch") {
  const data::Split sets = small_sets(300, 50);
  const TrainOptions large{.epochs = 1, .batch = 128, .seed = 4};
  TrainOptions parts = large;
  parts.batch = 32;
  parts.accumulate = 4;
  const Run one = run(sets, large), other = run(sets, parts);
  double difference = 0;
  for (std::size_t i = 0; i < one.parameters.size(); ++i) {
    difference = std::max(difference, std::abs(double{one.parameters[i]} - other.parameters[i]));
  }
  CHECK(difference < 1e-5);
  CHECK(one.epochs[0].train_loss == doctest::Approx(other.epochs[0].train_loss).epsilon(1e-4));
}

TEST_CASE("the learning rate rises, then falls, and ends near 0") {
  TrainOptions options{.epochs = 4, .batch = 10, .learning_rate = 1.0f};
  options.warmup = 1;
  for (const Decay decay : {Decay::none, Decay::linear, Decay::cosine}) {
    options.decay = decay;
    const Schedule schedule(options, 95);
    CHECK(schedule.steps_an_epoch() == 10);
    for (std::uint64_t step = 1; step <= 10; ++step) {
      CHECK(schedule.rate(step) > schedule.rate(step - 1));
    }
    CHECK(schedule.rate(0) == doctest::Approx(1.0 / 11));
    CHECK(schedule.rate(10) == doctest::Approx(1.0));
    for (std::uint64_t step = 11; step < 40; ++step) {
      CHECK(schedule.rate(step) <= schedule.rate(step - 1));
    }
  }
  options.decay = Decay::none;
  CHECK(Schedule(options, 95).rate(39) == 1.0f);
  options.decay = Decay::linear;
  CHECK(Schedule(options, 95).rate(39) == doctest::Approx(1.0 / 30));
  CHECK(Schedule(options, 95).rate(25) == doctest::Approx(0.5));
  options.decay = Decay::cosine;
  CHECK(Schedule(options, 95).rate(25) == doctest::Approx(0.5));
}

TEST_CASE("trainer: a run stops when the accuracy has not got better for as long as its patience") {
  const data::Split sets = small_sets(200, 50);
  TrainOptions options{.epochs = 50, .batch = 50, .learning_rate = 1e-7f};
  options.patience = 2;
  const std::size_t epochs = run(sets, options).epochs.size();
  CHECK(epochs >= 3);
  CHECK(epochs < 50);
}

TEST_CASE("mixed precision learns as much as FP32" * doctest::test_suite("long")) {
  const data::Split sets = small_sets(1500, 1000);
  TrainOptions options{.epochs = 1, .batch = 32, .learning_rate = 0.05f, .seed = 2};
  const double exact = run(sets, options).epochs[0].test_accuracy;
  for (const NumberFormat format : {NumberFormat::tf32, NumberFormat::fp16, NumberFormat::bf16}) {
    options.format = format;
    const double mixed = run(sets, options).epochs[0].test_accuracy;
    MESSAGE(to_string(format) << " " << mixed << ", fp32 " << exact);
    CHECK(exact > 0.6);  // after 47 steps
    CHECK(mixed > exact - 0.02);
  }
}

TEST_CASE("one epoch on the real MNIST" * doctest::test_suite("long")) {
  const auto folder = test::real_mnist();
  if (!folder) {
    MESSAGE("skipped: the real MNIST is not here; TUT_MNIST_DIR can name its folder");
    return;
  }
  const data::Split sets = data::load_mnist(*folder);
  const Run result = run(sets, {.epochs = 1});
  MESSAGE("test accuracy " << result.epochs[0].test_accuracy << ", "
                           << result.epochs[0].images_per_second << " images/s");
  CHECK(result.epochs[0].test_accuracy > 0.97);
}
