#include "16_cnn_trainer/trainer.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "../13_convolution/guarded_device.hpp"
#include "../common/data_files.hpp"
#include "16_cnn_trainer/kernel_model.hpp"
#include "16_cnn_trainer/reference_cpu.hpp"
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

TEST_CASE("a seed fixes a run to the bit; another seed gives another") {
  const data::Split sets = small_sets(1001, 100);  // the last batch is smaller
  const TrainOptions options{.epochs = 2, .batch = 64, .seed = 5};
  const Run first = run(sets, options), second = run(sets, options);
  CHECK(test::same_bits(first.parameters, second.parameters));
  CHECK(first.epochs[1].train_loss == second.epochs[1].train_loss);
  CHECK(first.epochs[1].test_accuracy == second.epochs[1].test_accuracy);
  TrainOptions other = options;
  other.seed = 6;
  CHECK(!test::same_bits(run(sets, other).parameters, first.parameters));
}

TEST_CASE("models trained side by side see the same batches") {
  const data::Split sets = small_sets(3000, 500);
  const TrainOptions options{.epochs = 1, .batch = 50, .seed = 2};
  KernelModel kernels(sets, small_network(), options);
  LoopModel loops(sets, options.seed);
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
