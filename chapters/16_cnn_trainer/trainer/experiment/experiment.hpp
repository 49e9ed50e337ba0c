#pragma once

#include "16_cnn_trainer/trainer/command_line.hpp"

namespace tut::ch16 {

/// One training for each batch, learning rate and seed of `line`: what they do to what is learnt,
/// and how fast. Prints a line for each, and of several seeds the mean and the spread; writes the
/// files that `line` asks for after each training. Errors: as train_once(); a training that
/// diverges is a line of the table that says so, and no error: to see it is what experiments are
/// for.
void run_experiment(const CommandLine& line);

}  // namespace tut::ch16
