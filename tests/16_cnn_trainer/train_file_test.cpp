// The lesson's trainer, train.cpp, beside the general program: the same network, so the same
// weights.
#include <doctest/doctest.h>

#include "../13_convolution/guarded_device.hpp"
#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"
#include "16_cnn_trainer/trainer/experiment/trainer.hpp"

// A program in one file, which has a main: here under another name.
#define main train_file_main
#include "16_cnn_trainer/train.cpp"
#undef main

TEST_CASE("train.cpp and the general program: equal weights after an epoch, bit for bit" *
          doctest::test_suite("unwatched")) {
  const data::Split sets{data::draw_digits(1010, seed), data::draw_digits(10, seed + 1)};
  REQUIRE(sets.train.size() % batch != 0);  // the last batch is smaller
  DeviceSet set(sets.train);
  Network network;
  const double loss = train(network, set, 1);

  ch16::TrainOptions options{.epochs = 1, .batch = batch};
  options.learning_rate = learning_rate;
  options.momentum = momentum;
  options.decay = ch16::Decay::none;
  options.seed = seed;
  ch16::KernelModel model(sets, ch16::load_network("small"), options, ch16::reference_kernels());
  ch16::Model* const models[] = {&model};
  const auto results = ch16::train(models, sets, options);
  CHECK(results[0][0].train_loss == loss);
  CHECK(test::same_bits(model.parameters(), network.parameters()));
  CHECK(!test::same_bits(model.parameters(), ch16::initial_parameters(seed)));
}
