#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "16_cnn_trainer/model.hpp"

namespace tut::ch16 {

/// What a training run can be told.
struct TrainOptions {
  int epochs = 3;
  int batch = 32;               ///< images a step
  float learning_rate = 0.02f;  ///< of the first step; it falls to 0 along a straight line
  float momentum = 0.9f;
  std::uint64_t seed = 1;  ///< of the parameters and the order of the images
};

/// What one model did in one epoch.
struct EpochResult {
  int epoch = 0;                 ///< from 1
  double train_loss = 0;         ///< mean over the epoch's images, each before its own step
  double test_accuracy = 0;      ///< after the epoch, 0 to 1
  double images_per_second = 0;  ///< of training alone
};

/// How far a run is; `loss` is the mean of this epoch so far.
struct Progress {
  int epoch;
  std::size_t images, images_in_epoch;
  double loss;
  double images_per_second;
};

/// What a caller may want to know while a run goes on; either may be empty.
struct TrainCallbacks {
  std::function<void(const Progress&)> progress;  ///< a few times a second
  /// After each epoch, the results in the order of the models.
  std::function<void(std::span<const EpochResult>)> epoch;
};

/// Throws std::invalid_argument, in one line, if an option is out of range or the batch is larger
/// than the training set.
void require_options(const TrainOptions& options, const data::Split& sets);

/// Trains `models` side by side: each sees the same batches in the same order, a stretch of steps
/// after another in turn, so that their rates are measured under equal conditions. The last batch
/// of an epoch is smaller where the batch does not divide the set. Returns the results of each
/// epoch, in the order of the models.
///
/// Errors: std::invalid_argument as require_options says; std::runtime_error if a loss is not
/// finite, as happens when the learning rate is too large.
std::vector<std::vector<EpochResult>> train(std::span<Model* const> models, const data::Split& sets,
                                            const TrainOptions& options,
                                            const TrainCallbacks& callbacks = {});

}  // namespace tut::ch16
