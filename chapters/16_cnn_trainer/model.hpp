#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tut/data/dataset.hpp"

namespace tut::ch16 {

/// How far one step of stochastic gradient descent goes.
struct Step {
  float learning_rate;
  float momentum;
};

/// The losses of some images, added up.
struct LossSum {
  double sum = 0;
  std::size_t images = 0;
};

/// The network of Architecture with its parameters, as the trainer sees it: once in CUDA kernels
/// (KernelModel), once in plain C++ loops (LoopModel).
class Model {
 public:
  virtual ~Model() = default;

  /// What computes, for people.
  virtual std::string name() const = 0;

  /// One step on the training images named by `indices`. It may still run when this returns.
  virtual void train_batch(std::span<const int> indices, Step step) = 0;

  /// The losses of the images trained on since the last call; waits for the steps before.
  virtual LossSum take_loss() = 0;

  /// How many test images get their highest score at their label.
  virtual std::size_t count_correct() = 0;

  /// The parameters, laid out as ParameterLayout says.
  virtual std::vector<float> parameters() const = 0;
};

/// Throws std::invalid_argument unless both sets hold images of 28 x 28 in 10 classes.
void require_digits(const data::Split& sets);

}  // namespace tut::ch16
