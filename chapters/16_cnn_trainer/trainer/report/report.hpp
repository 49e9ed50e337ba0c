#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "16_cnn_trainer/trainer/checkpoint/atomic_file.hpp"
#include "16_cnn_trainer/trainer/experiment/trainer.hpp"
#include "16_cnn_trainer/trainer/own_kernels/own_kernels.hpp"

namespace tut::ch16 {

/// One run, as the results file tells it.
struct Report {
  std::string backend;  ///< the first model's name
  std::string rival;    ///< the second model's, or empty
  std::string data;     ///< where the data is from
  std::string network;  ///< its name or file
  std::size_t train_images = 0, test_images = 0;
  TrainOptions options;
  std::vector<std::vector<EpochResult>> epochs;  ///< as train returns them
  KernelChoices kernels = {};                    ///< empty: all are the course's
  std::string diverged = {};                     ///< what says so, of a run that has
};

/// The report as JSON: the settings, and for each epoch train_loss, test_accuracy (0 to 1) and
/// images_per_second, with those of the rival under "plain_loops". Where kernels were chosen,
/// "kernels" has what each operation is computed by, and "diverged" says how a run failed.
std::string to_json(const Report& report);

/// Several runs, those of an experiment, under "runs".
std::string to_json(std::span<const Report> reports);

}  // namespace tut::ch16
