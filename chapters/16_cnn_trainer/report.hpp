#pragma once

#include <cstdio>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "16_cnn_trainer/trainer.hpp"

namespace tut::ch16 {

/// A results file that cannot be written: one line with its name and the reason.
class ReportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One run, as the results file tells it.
struct Report {
  std::string backend;  ///< the first model's name
  std::string rival;    ///< the second model's, or empty
  std::string data;     ///< where the data is from
  std::size_t train_images = 0, test_images = 0;
  TrainOptions options;
  std::vector<std::vector<EpochResult>> epochs;  ///< as train returns them
};

/// The report as JSON: the settings, and for each epoch train_loss, test_accuracy (0 to 1) and
/// images_per_second, with those of the rival under "plain_loops".
std::string to_json(const Report& report);

/// A file that is replaced as a whole: a reader sees the old contents or the new, never a part.
class AtomicFile {
 public:
  /// Makes sure that the file can be written, without touching it. Throws ReportError: the folder
  /// is missing or closed, or the path is something else than a file.
  explicit AtomicFile(std::filesystem::path path);

  /// Writes a file beside it and renames that. Throws ReportError; the old file is then untouched.
  void write(const std::string& contents) const;

 private:
  std::filesystem::path path_, temporary_;
};

}  // namespace tut::ch16
