#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "16_cnn_trainer/trainer/experiment/model.hpp"
#include "16_cnn_trainer/trainer/experiment/train_options.hpp"

namespace tut::ch16 {

/// What one model did in one epoch.
struct EpochResult {
  int epoch = 0;                 ///< from 1
  double train_loss = 0;         ///< mean over the epoch's images, each before its own step
  double test_accuracy = 0;      ///< after the epoch, 0 to 1
  double images_per_second = 0;  ///< of training alone
  bool one_prediction = false;   ///< every test image got the same; not kept in a checkpoint
};

/// What is wrong with a run whose last epoch this is, in one line, or nothing. A run has diverged
///
/// - if its loss is more than twice that of a guess, ln(classes): weights as they are drawn do not
///   start so high, so training has made them worse (in the first epoch the steps before the
///   network found its way may do that, so there every prediction has to be the same as well);
/// - if after two epochs and 50 steps or more every test image gets the same prediction, and the
/// loss is
///   that of a guess: a network that has begun to learn tells some images apart.
std::optional<std::string> divergence(const EpochResult& last, std::uint64_t steps, int classes);

/// How far a run is; `loss` is the mean of this epoch so far.
struct Progress {
  int epoch;
  std::size_t images, images_in_epoch;
  double loss;
  double images_per_second;
};

/// Where a run of one model stands between two steps.
struct Position {
  //! [position]
  int epoch = 0;                     ///< epochs done
  std::size_t images = 0;            ///< images done in the next one
  std::uint64_t step = 0;            ///< steps done
  double loss = 0;                   ///< sum over those images
  std::vector<EpochResult> results;  ///< of the epochs done
  //! [position]
};

/// What a caller may want to know while a run goes on; each may be empty.
struct TrainCallbacks {
  std::function<void(const Progress&)> progress{};  ///< a few times a second
  /// After each epoch, the results in the order of the models.
  std::function<void(std::span<const EpochResult>)> epoch{};
  /// Called whenever the run could be resumed from here: each time after progress, and after an
  /// epoch before it is reported.
  std::function<void(const Position&)> position{};
};

/// A loss that is not finite, or a divergence: one line.
class DivergedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether nothing is left of a run that has come that far.
bool is_complete(const Position& at, const TrainOptions& options);

/// Trains `models` side by side: each sees the same batches in the same order, a stretch of steps
/// after another in turn, so that their rates are measured under equal conditions. The last step
/// of an epoch is smaller where the images of a step do not divide the set. Returns the results of
/// each epoch, in the order of the models.
///
/// `from` is where the first model stands; with several models it must be the beginning. Where a
/// run is resumed, all that follows is the same to the bit, but for images_per_second.
///
/// Errors: std::invalid_argument as require_options says; DivergedError if a loss is not
/// finite, as happens when the learning rate is too large.
std::vector<std::vector<EpochResult>> train(std::span<Model* const> models, const data::Split& sets,
                                            const TrainOptions& options,
                                            const TrainCallbacks& callbacks = {},
                                            const Position& from = {});

}  // namespace tut::ch16
