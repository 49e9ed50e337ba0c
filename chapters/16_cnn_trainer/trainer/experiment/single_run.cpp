#include "16_cnn_trainer/trainer/experiment/single_run.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "16_cnn_trainer/trainer/checkpoint/resume_hint.hpp"
#include "16_cnn_trainer/trainer/checkpoint/run_checkpoint.hpp"
#include "16_cnn_trainer/trainer/experiment/kernel_model.hpp"
#include "16_cnn_trainer/trainer/experiment/reference_cpu.hpp"
#include "16_cnn_trainer/trainer/experiment/run_setup.hpp"
#include "16_cnn_trainer/trainer/experiment/trainer.hpp"
#include "16_cnn_trainer/trainer/report/learning_curves.hpp"
#include "16_cnn_trainer/trainer/report/mistakes.hpp"
#include "16_cnn_trainer/trainer/report/progress_line.hpp"
#include "16_cnn_trainer/trainer/report/report.hpp"

namespace tut::ch16 {

namespace {

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

/// What a run that is stopped says of how it goes on.
std::string resume_hint(const CommandLine& line) {
  return "\nstopped; the same command line " + std::string(line.resume ? "" : "with --resume ") +
         "goes on from " + *line.checkpoint + ", written after each epoch and " +
         (line.checkpoint_seconds == 0
              ? "all the time"
              : "every " + std::to_string(line.checkpoint_seconds) + " s") +
         "\n";
}

/// Writes checkpoints, at most so many seconds apart. Once there is one, a run that is stopped says
/// how to continue it.
class Checkpoints {
 public:
  Checkpoints(const CommandLine& line, const KernelModel& model, std::string data)
      : line_(line), model_(model), data_(std::move(data)) {
    if (!line.checkpoint) return;
    const AtomicFile refused_now(*line.checkpoint);  // not after an epoch
    if (!line.resume && std::filesystem::exists(*line.checkpoint)) {
      throw CheckpointError(
          *line.checkpoint +
          " is there already; expected --resume to go on from it, or another name");
    }
    words_.emplace(resume_hint(line), *line.checkpoint);
  }

  /// Restores the model; where the run stands.
  Position restore(KernelModel& model) {
    if (!line_.resume || !std::filesystem::exists(*line_.checkpoint)) return {};
    const Checkpoint checkpoint = read_checkpoint(*line_.checkpoint);
    model.restore(checkpoint, *line_.checkpoint);
    Position position = read_position(checkpoint, line_.train, data_, *line_.checkpoint);
    std::printf("resumed   %s: %d epochs and %zu images done\n", line_.checkpoint->c_str(),
                position.epoch, position.images);
    if (is_complete(position, line_.train)) {
      std::printf(
          "complete  all epochs are done; for a longer run start a new one: --epochs %d and "
          "another --checkpoint\n",
          2 * line_.train.epochs);
    }
    return position;
  }

  void save(const Position& position) {
    if (!line_.checkpoint) return;
    const auto now = Clock::now();
    const bool due = now - last_ >= std::chrono::seconds(line_.checkpoint_seconds);
    if (position.images != 0 && !due) return;
    Checkpoint checkpoint = make_checkpoint(line_.train, data_, position);
    model_.save(checkpoint);
    write_checkpoint(*line_.checkpoint, checkpoint);
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const CommandLine& line_;
  const KernelModel& model_;
  std::string data_;
  Clock::time_point last_ = Clock::now();
  std::optional<ResumeHintOnSignal> words_;
};

/// The same for runs that are the same to the bit.
void print_fingerprint(const KernelModel& model, const TrainOptions& options,
                       const Position& position) {
  Checkpoint checkpoint = make_checkpoint(options, "", position);
  model.save(checkpoint);
  std::printf("weights   %016llx (fingerprint; of the optimiser's memory and of all counts, too)\n",
              static_cast<unsigned long long>(fingerprint(checkpoint)));
}

void print_loss_scale(const KernelModel& model) {
  const auto scale = model.loss_scale();
  if (!scale) return;
  std::printf("loss scale %g at the end, %d steps skipped\n", static_cast<double>(scale->scale),
              scale->skipped_steps);
}

/// What is reported of a run's epochs: a line for each, and the files.
class RunReporter {
 public:
  RunReporter(const OutputFiles& files, Report report, std::string title)
      : files_(files), report_(std::move(report)), curve_{std::move(title), {}} {}

  /// The head of the table, and the epochs that were done before.
  void begin(std::span<const EpochResult> done) {
    std::printf("\nepoch   loss     accuracy   trained at\n");
    for (const EpochResult& result : done) {
      print_result(result, "");
      keep({&result, 1});
    }
    std::fflush(stdout);
  }
  void add(std::span<const EpochResult> results) {
    print_epoch(results);
    keep(results);
    write();
  }
  /// `diverged` says so, or is empty.
  void end(const std::string& diverged) {
    report_.diverged = diverged;
    write();
  }

 private:
  void keep(std::span<const EpochResult> results) {
    report_.epochs.emplace_back(results.begin(), results.end());
    curve_.epochs.push_back(results[0]);
  }
  void write() const {
    if (files_.json) files_.json->write(to_json(report_));
    if (files_.curves) files_.curves->write(learning_curves({&curve_, 1}, curve_.name));
  }

  const OutputFiles& files_;
  Report report_;
  Curve curve_;
};

}  // namespace

void train_once(CommandLine line) {
  const OutputFiles files(line);
  const NetworkSpec spec = load_network(line.network);
  const data::Choice chosen = data::choose_dataset(line.data);
  const data::Split& sets = chosen.sets;
  const Chosen own = choose(line, spec);
  KernelModel kernels(sets, spec, line.train, own.kernels);
  Checkpoints checkpoints(line, kernels, data::identity(sets));
  std::optional<CpuReferenceModel> loops;
  if (line.compare) loops.emplace(sets, line.train.seed);
  std::vector<Model*> models{&kernels};
  if (loops) models.push_back(&*loops);
  print_settings(line, spec, chosen, models);
  Position at = checkpoints.restore(kernels);

  RunReporter tale(files,
                   {kernels.name(),
                    loops ? loops->name() : "",
                    chosen.source,
                    line.network,
                    sets.train.size(),
                    sets.test.size(),
                    line.train,
                    {},
                    own.choices},
                   title_of(line));
  tale.begin(at.results);
  ProgressLine bar(line.train.epochs);
  train(models, sets, line.train,
        {.progress = [&](const Progress& progress) { bar.show(progress); },
         .epoch =
             [&](std::span<const EpochResult> results) {
               bar.clear();
               bar.set_accuracy(results[0].test_accuracy);
               tale.add(results);
             },
         .position =
             [&](const Position& position) {
               checkpoints.save(position);
               at = position;
             }},
        at);
  bar.clear();
  print_loss_scale(kernels);
  print_fingerprint(kernels, line.train, at);
  if (files.mistakes) {
    files.mistakes->write(mistakes_picture(sets.test, kernels.predict(), title_of(line)));
  }
  const auto diverged = divergence(at.results.back(), at.step, sets.train.classes);
  tale.end(diverged.value_or(""));
  if (diverged) throw DivergedError(*diverged);
}

}  // namespace tut::ch16
