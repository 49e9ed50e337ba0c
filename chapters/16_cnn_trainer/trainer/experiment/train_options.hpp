#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "16_cnn_trainer/trainer/network/network.hpp"
#include "tut/data/dataset.hpp"

namespace tut::ch16 {

enum class Optimiser {
  sgd,
  adam,
  lion  ///< an exercise of chapter 14: only with a kernel of one's own
};

/// How the learning rate changes after the warm-up.
enum class Decay {
  none,
  linear,  ///< to 0 after the last step, along a straight line
  cosine   ///< to 0 after the last step, along half a wave
};

std::string_view to_string(Optimiser optimiser);
std::string_view to_string(Decay decay);

/// What a training run can be told.
struct TrainOptions {
  int epochs = 3;
  int batch = 32;      ///< images that go through the network together
  int accumulate = 1;  ///< batches whose gradients make one step
  Optimiser optimiser = Optimiser::sgd;
  float learning_rate = 0.02f;  ///< after the warm-up
  float momentum = 0.9f;        ///< of sgd
  float weight_decay = 0;
  float warmup = 0;  ///< epochs in which the learning rate rises from 0
  Decay decay = Decay::linear;
  NumberFormat format = NumberFormat::fp32;
  float loss_scale = 0;    ///< of fp16; 0: found while training
  bool augment = false;    ///< images are shifted, turned and scaled at random
  int patience = 0;        ///< epochs without a better test accuracy before the run stops; 0: never
  std::uint64_t seed = 1;  ///< of the parameters, the order of the images and all that is random
  /// Exercises whose solutions take the place of the course's kernels, in the course's order.
  std::vector<std::string> own_kernels = {};

  std::size_t images_a_step() const { return static_cast<std::size_t>(batch) * accumulate; }
};

/// Throws std::invalid_argument, in one line, if an option is out of range or a step has more
/// images than the training set.
void require_options(const TrainOptions& options, const data::Split& sets);

/// The learning rate over a run.
class Schedule {
 public:
  Schedule(const TrainOptions& options, std::size_t images);

  /// Of step number `step`, from 0.
  float rate(std::uint64_t step) const;
  std::uint64_t steps_an_epoch() const { return steps_an_epoch_; }

 private:
  double peak_, warmup_steps_, steps_;
  std::uint64_t steps_an_epoch_;
  Decay decay_;
};

}  // namespace tut::ch16
