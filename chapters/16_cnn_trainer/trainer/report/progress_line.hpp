#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "16_cnn_trainer/trainer/experiment/trainer.hpp"
#include "tut/text/terminal.hpp"

namespace tut::ch16 {

/// The line at the bottom of a terminal that shows how far the training is.
class ProgressLine {
 public:
  explicit ProgressLine(int epochs) : epochs_(epochs), live_(is_terminal(stderr)) {}

  void show(const Progress& progress) const {
    if (!live_) return;
    const std::size_t filled = kBar * progress.images / progress.images_in_epoch;
    const std::string bar = std::string(filled, '#') + std::string(kBar - filled, '.');
    std::fprintf(stderr, "\r\033[Kepoch %d/%d [%s]  loss %.4f%s  %.0f images/s", progress.epoch,
                 epochs_, bar.c_str(), progress.loss, accuracy_.c_str(),
                 progress.images_per_second);
  }

  void set_accuracy(double accuracy) {
    char text[32];
    std::snprintf(text, sizeof(text), "  accuracy %.2f %%", 100 * accuracy);
    accuracy_ = text;
  }

  void clear() const {
    if (live_) std::fputs("\r\033[K", stderr);
  }

 private:
  static constexpr std::size_t kBar = 16;  // short enough for a line of 80 columns

  int epochs_;
  bool live_;
  std::string accuracy_;  // of the epoch before
};

}  // namespace tut::ch16
