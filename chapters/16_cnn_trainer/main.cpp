// Trains the course's network: see --help.

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "16_cnn_trainer/command_line.hpp"
#include "16_cnn_trainer/kernel_model.hpp"
#include "16_cnn_trainer/reference_cpu.hpp"
#include "16_cnn_trainer/report.hpp"
#include "16_cnn_trainer/trainer.hpp"
#include "tut/data/choose.hpp"
#include "tut/terminal.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

// The line at the bottom of a terminal that shows how far the training is.
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

void print_result(const EpochResult& result, const char* who) {
  std::printf("%5d   %.4f   %6.2f %%   %8.0f images/s%s\n", result.epoch, result.train_loss,
              100 * result.test_accuracy, result.images_per_second, who);
}

void print_epoch(std::span<const EpochResult> results) {
  print_result(results[0], results.size() > 1 ? "   CUDA kernels" : "");
  if (results.size() > 1) {
    print_result(results[1], "   plain C++ loops");
    std::printf("        kernels / loops: %.2f\n",
                results[0].images_per_second / results[1].images_per_second);
  }
  std::fflush(stdout);
}

void run(const CommandLine& line) {
  std::optional<AtomicFile> file;
  if (line.json) file.emplace(*line.json);
  const data::Choice chosen = data::choose_dataset(line.data);
  const data::Split& sets = chosen.sets;
  require_options(line.train, sets);

  KernelModel kernels(sets, line.train.seed, line.train.batch);
  std::optional<LoopModel> loops;
  if (line.compare) loops.emplace(sets, line.train.seed);
  std::vector<Model*> models{&kernels};
  if (loops) models.push_back(&*loops);

  Report report{kernels.name(),
                loops ? loops->name() : "",
                chosen.source,
                sets.train.size(),
                sets.test.size(),
                line.train,
                {}};
  std::printf("data      %s: %zu images to train, %zu to test\n", chosen.source.c_str(),
              sets.train.size(), sets.test.size());
  for (const Model* model : models) std::printf("network   %s\n", model->name().c_str());
  std::printf("settings  batch %d, learning rate %g, momentum %g, seed %llu\n\n", line.train.batch,
              line.train.learning_rate, line.train.momentum,
              static_cast<unsigned long long>(line.train.seed));
  std::printf("epoch   loss     accuracy   trained at\n");
  std::fflush(stdout);

  ProgressLine bar(line.train.epochs);
  train(models, sets, line.train,
        {.progress = [&](const Progress& progress) { bar.show(progress); },
         .epoch =
             [&](std::span<const EpochResult> results) {
               bar.clear();
               bar.set_accuracy(results[0].test_accuracy);
               print_epoch(results);
               report.epochs.emplace_back(results.begin(), results.end());
               if (file) file->write(to_json(report));
             }});
  if (line.json) std::printf("\nresults   %s\n", line.json->c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const CommandLine line = parse_command_line({argv + 1, argv + argc});
    if (line.help) {
      std::fputs(help_text().c_str(), stdout);
      return 0;
    }
    run(line);
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
