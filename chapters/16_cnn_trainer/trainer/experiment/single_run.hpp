#pragma once

#include "16_cnn_trainer/trainer/command_line.hpp"

namespace tut::ch16 {

/// One training, from the beginning or from a checkpoint: progress on the terminal, checkpoints,
/// and the files that `line` asks for. Errors: what is wrong with a file, the network, the data or
/// a setting, as an exception with one line; DivergedError, also after a whole run (see
/// divergence).
void train_once(CommandLine line);

}  // namespace tut::ch16
