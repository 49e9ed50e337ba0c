#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "16_cnn_trainer/trainer.hpp"

namespace tut::ch16 {

/// An argument that cannot be used: one line that names it and says what was expected.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the program was told to do.
struct CommandLine {
  TrainOptions train;
  std::optional<std::string> data;  ///< a folder with MNIST, or `drawn`
  std::optional<std::string> json;  ///< where to write the results
  bool compare = false;             ///< train the plain C++ loops as well
  bool help = false;
};

/// Reads the arguments, without the program's name; `--flag value` and `--flag=value` are the same.
/// Throws UsageError.
CommandLine parse_command_line(std::span<const char* const> arguments);

/// What --help prints.
std::string help_text();

}  // namespace tut::ch16
