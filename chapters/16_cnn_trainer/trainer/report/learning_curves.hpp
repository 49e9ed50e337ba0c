#pragma once

#include <span>
#include <string>
#include <vector>

#include "16_cnn_trainer/trainer/experiment/trainer.hpp"

namespace tut::ch16 {

/// What one model did, epoch after epoch.
struct Curve {
  std::string name;
  std::vector<EpochResult> epochs;
};

/// A picture, in SVG, of loss and test accuracy against the epoch, side by side; the same for the
/// same results. Figures that are not finite leave a gap. Of more than 300 epochs it shows every
/// second, third, ... and the last.
/// Errors: std::invalid_argument unless there are 1 to 4 curves with at least one epoch each.
std::string learning_curves(std::span<const Curve> curves, const std::string& title);

}  // namespace tut::ch16
