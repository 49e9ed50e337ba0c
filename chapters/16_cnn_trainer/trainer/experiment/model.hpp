#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tut/data/dataset.hpp"

namespace tut::ch16 {

/// One step of training.
struct Step {
  float learning_rate = 0;
  float momentum = 0;
  float weight_decay = 0;
  std::uint64_t number = 0;  ///< of all steps before it
  int epoch = 0;             ///< from 0
};

/// The losses of some images, added up.
struct LossSum {
  double sum = 0;
  std::size_t images = 0;
};

/// A network with its parameters, as the trainer sees it: once in CUDA kernels (KernelModel), once
/// in plain C++ loops (CpuReferenceModel).
class Model {
 public:
  virtual ~Model() = default;

  /// What computes, for people.
  virtual std::string name() const = 0;

  /// One step on the training images named by `indices`. It may still run when this returns.
  virtual void train_batch(std::span<const int> indices, const Step& step) = 0;

  /// The losses of the images trained on since the last call; waits for the steps before.
  virtual LossSum take_loss() = 0;

  /// The class with the highest score, for each test image.
  virtual std::vector<std::uint8_t> predict() = 0;

  /// The parameters, laid out as NetworkSpec says.
  virtual std::vector<float> parameters() const = 0;
};

/// How many predictions are the labels. Throws std::invalid_argument unless there are as many.
std::size_t count_correct(std::span<const std::uint8_t> predictions, const data::Dataset& set);

/// Throws std::invalid_argument unless both sets hold images of 28 x 28 in 10 classes.
void require_digits(const data::Split& sets);

}  // namespace tut::ch16
