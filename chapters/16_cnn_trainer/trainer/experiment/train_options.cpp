#include "16_cnn_trainer/trainer/experiment/train_options.hpp"

#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "tut/numeric/math.hpp"

namespace tut::ch16 {

std::string_view to_string(Optimiser optimiser) {
  switch (optimiser) {
    case Optimiser::sgd:
      return "sgd";
    case Optimiser::adam:
      return "adam";
    case Optimiser::lion:
      return "lion";
  }
  return "";
}

std::string_view to_string(Decay decay) {
  switch (decay) {
    case Decay::none:
      return "none";
    case Decay::linear:
      return "linear";
    case Decay::cosine:
      return "cosine";
  }
  return "";
}

void require_options(const TrainOptions& options, const data::Split& sets) {
  const auto demand = [](bool condition, const char* name, auto value,
                         const std::string& expected) {
    if (condition) return;
    std::ostringstream text;
    text << name << " is " << value << "; expected " << expected;
    throw std::invalid_argument(text.str());
  };
  demand(options.epochs >= 1, "the number of epochs", options.epochs, "at least 1");
  demand(options.batch >= 1, "the batch", options.batch, "at least 1 image");
  demand(options.accumulate >= 1, "the number of batches a step", options.accumulate, "at least 1");
  demand(options.images_a_step() <= sets.train.size(),
         options.accumulate == 1 ? "the batch" : "the number of images a step",
         options.images_a_step(),
         "at most the " + std::to_string(sets.train.size()) + " images of the training set");
  demand(options.warmup >= 0 && options.warmup <= static_cast<float>(options.epochs), "the warm-up",
         options.warmup, "0 to the number of epochs");
}

Schedule::Schedule(const TrainOptions& options, std::size_t images)
    : peak_(options.learning_rate),
      steps_an_epoch_(ceil_div(images, options.images_a_step())),
      decay_(options.decay) {
  warmup_steps_ = options.warmup * static_cast<double>(steps_an_epoch_);
  steps_ = static_cast<double>(steps_an_epoch_) * options.epochs;
}

float Schedule::rate(std::uint64_t step) const {
  const auto at = static_cast<double>(step);
  if (at < warmup_steps_) return static_cast<float>(peak_ * (at + 1) / (warmup_steps_ + 1));
  const double done = (at - warmup_steps_) / (steps_ - warmup_steps_);
  switch (decay_) {
    case Decay::none:
      return static_cast<float>(peak_);
    case Decay::linear:
      return static_cast<float>(peak_ * (1 - done));
    case Decay::cosine:
      return static_cast<float>(peak_ * 0.5 * (1 + std::cos(std::numbers::pi * done)));
  }
  return 0;
}

}  // namespace tut::ch16
