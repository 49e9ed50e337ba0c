/// \file
/// A training run in a checkpoint: where it stands, and the options it was begun with.
#pragma once

#include <filesystem>
#include <string>

#include "16_cnn_trainer/trainer/checkpoint/checkpoint.hpp"
#include "16_cnn_trainer/trainer/experiment/train_options.hpp"
#include "16_cnn_trainer/trainer/experiment/trainer.hpp"

namespace tut::ch16 {

/// A checkpoint without the model's part.
Checkpoint make_checkpoint(const TrainOptions& options, const std::string& data,
                           const Position& position);

/// Where the run stands. `data` says where the images are from.
/// Errors: CheckpointError if the run was begun with other options or kernels, other data or more
/// epochs: it would not go on as it began.
Position read_position(const Checkpoint& checkpoint, const TrainOptions& options,
                       const std::string& data, const std::filesystem::path& path);

}  // namespace tut::ch16
