#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "16_cnn_trainer/trainer/experiment/train_options.hpp"

namespace tut::ch16 {

/// An argument that cannot be used: one line that names it and says what was expected.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the program was told to do.
struct CommandLine {
  TrainOptions train;        ///< with the first of `batches`, `rates` and `seeds`
  std::vector<int> batches;  ///< more than one batch, rate or seed: an experiment
  std::vector<float> rates;
  std::vector<std::uint64_t> seeds;
  bool own_kernels = false;               ///< take the learner's own where they are right
  std::string network = "small";          ///< a built-in network, or a file that describes one
  std::optional<std::string> data;        ///< a folder with MNIST, or `drawn`
  std::optional<std::string> json;        ///< where to write the results
  std::optional<std::string> curves;      ///< ... and a picture of them
  std::optional<std::string> mistakes;    ///< ... and of what the network got wrong
  std::optional<std::string> checkpoint;  ///< where to keep what a run needs to go on
  int checkpoint_seconds = 10;            ///< between two checkpoints within an epoch
  bool resume = false;                    ///< go on from the checkpoint, if there is one
  bool compare = false;                   ///< train the plain C++ loops as well
  bool help = false;

  bool is_experiment() const { return batches.size() * rates.size() * seeds.size() > 1; }
};

/// Reads the arguments, without the program's name; `--flag value` and `--flag=value` are the same.
/// Throws UsageError.
CommandLine parse_command_line(std::span<const char* const> arguments);

/// What --help prints.
std::string help_text();

}  // namespace tut::ch16
