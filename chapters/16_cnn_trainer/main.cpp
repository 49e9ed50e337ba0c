// Trains a network to read digits: see --help.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "16_cnn_trainer/command_line.hpp"
#include "16_cnn_trainer/kernel_model.hpp"
#include "16_cnn_trainer/learning_curves.hpp"
#include "16_cnn_trainer/mistakes.hpp"
#include "16_cnn_trainer/network_spec.hpp"
#include "16_cnn_trainer/own_kernels.hpp"
#include "16_cnn_trainer/progress_line.hpp"
#include "16_cnn_trainer/reference_cpu.hpp"
#include "16_cnn_trainer/report.hpp"
#include "16_cnn_trainer/run_checkpoint.hpp"
#include "16_cnn_trainer/trainer.hpp"
#include "tut/data/choose.hpp"

namespace {

using namespace tut;
using namespace tut::ch16;

std::optional<AtomicFile> open_file(const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  return AtomicFile(*path);
}

/// The files that tell of a run. They are looked at before the training, not after it.
struct OutputFiles {
  explicit OutputFiles(const CommandLine& line)
      : json(open_file(line.json)),
        curves(open_file(line.curves)),
        mistakes(open_file(line.mistakes)) {}
  std::optional<AtomicFile> json, curves, mistakes;
};

constexpr double kTrialSeconds = 10;  // for one kernel

/// The kernels to train with, and whose they are.
struct Chosen {
  Kernels kernels = reference_kernels();
  KernelChoices choices;
};

/// Throws where the table that it has printed leaves nothing to train with.
void require_some(const KernelChoices& choices, const TrainOptions& train) {
  if (!choices.any_own()) {
    throw std::runtime_error("none of your kernels can be used yet; begin with ./learn check " +
                             choices.all[0].next);
  }
  const KernelChoice* lion = choices.find(Operation::lion);
  if (train.optimiser != Optimiser::lion || (lion != nullptr && lion->own)) return;
  throw std::runtime_error(
      "--optimiser lion is your own or none; expected sgd or adam until ./learn check lion passes");
}

/// Tries the learner's kernels, where there shall be some, and prints what came of it.
Chosen choose(CommandLine& line, const NetworkSpec& spec) {
  Chosen chosen;
  if (!line.own_kernels) return chosen;
  const auto judge = [](std::string_view exercise) {
    for (const OwnKernel& kernel : own_kernels()) {
      if (kernel.exercise == exercise) return try_kernel(kernel, "/proc/self/exe", kTrialSeconds);
    }
    throw std::logic_error("no kernel of " + std::string(exercise) + " has been linked");
  };
  chosen.choices = choose_kernels(spec, line.train.optimiser, judge);
  std::printf("%s\n", to_text(chosen.choices).c_str());
  std::fflush(stdout);
  require_some(chosen.choices, line.train);
  use_own(chosen.kernels, chosen.choices.own());
  line.train.own_kernels = chosen.choices.used();
  return chosen;
}

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

void print_settings(const CommandLine& line, const NetworkSpec& spec, const data::Choice& chosen,
                    std::span<Model* const> models) {
  const TrainOptions& train = line.train;
  std::printf("data      %s: %zu images to train, %zu to test\n", chosen.source.c_str(),
              chosen.sets.train.size(), chosen.sets.test.size());
  std::printf("network   %s, %zu parameters, %s\n", line.network.c_str(), spec.parameters,
              std::string(to_string(train.format)).c_str());
  if (line.own_kernels) {
    std::printf("kernels   yours:");
    for (const std::string& exercise : train.own_kernels) std::printf(" %s", exercise.c_str());
    std::printf("; all others the reference's\n");
  }
  for (const Model* model : models) std::printf("model     %s\n", model->name().c_str());
  std::printf("settings  %s, batch %d", std::string(to_string(train.optimiser)).c_str(),
              train.batch);
  if (train.accumulate > 1) std::printf(" x %d", train.accumulate);
  std::printf(", learning rate %g", train.learning_rate);
  if (train.optimiser == Optimiser::sgd) std::printf(", momentum %g", train.momentum);
  if (train.weight_decay > 0) std::printf(", weight decay %g", train.weight_decay);
  std::printf("%s, seed %llu\n", train.augment ? ", augmented" : "",
              static_cast<unsigned long long>(train.seed));
}

/// Writes checkpoints, at most so many seconds after each other.
class Checkpoints {
 public:
  Checkpoints(const CommandLine& line, const KernelModel& model, std::string data)
      : line_(line), model_(model), data_(std::move(data)) {
    if (line.checkpoint) AtomicFile{*line.checkpoint};  // refused now, not after an epoch
  }

  /// Restores the model; where the run stands.
  Position restore(KernelModel& model) const {
    if (!line_.resume || !std::filesystem::exists(*line_.checkpoint)) return {};
    const Checkpoint checkpoint = read_checkpoint(*line_.checkpoint);
    model.restore(checkpoint, *line_.checkpoint);
    Position position = read_position(checkpoint, line_.train, data_, *line_.checkpoint);
    std::printf("resumed   %s: %d epochs and %zu images done\n", line_.checkpoint->c_str(),
                position.epoch, position.images);
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
};

void print_loss_scale(const KernelModel& model) {
  const auto scale = model.loss_scale();
  if (!scale) return;
  std::printf("loss scale %g at the end, %d steps skipped\n", static_cast<double>(scale->scale),
              scale->skipped_steps);
}

std::string title_of(const CommandLine& line) {
  const std::string file = std::filesystem::path(line.network).filename().string();
  return "Training " + file + " in " + std::string(to_string(line.train.format));
}

void run(CommandLine line) {
  const OutputFiles files(line);
  const NetworkSpec spec = load_network(line.network);
  const data::Choice chosen = data::choose_dataset(line.data);
  const data::Split& sets = chosen.sets;
  const Chosen own = choose(line, spec);
  KernelModel kernels(sets, spec, line.train, own.kernels);
  Checkpoints checkpoints(line, kernels, chosen.source);
  std::optional<LoopModel> loops;
  if (line.compare) loops.emplace(sets, line.train.seed);
  std::vector<Model*> models{&kernels};
  if (loops) models.push_back(&*loops);
  print_settings(line, spec, chosen, models);
  const Position from = checkpoints.restore(kernels);

  Report report{kernels.name(),    loops ? loops->name() : "", chosen.source, line.network,
                sets.train.size(), sets.test.size(),           line.train,    {},
                own.choices};
  Curve curve{title_of(line), from.results};
  for (const EpochResult& result : from.results) report.epochs.push_back({result});
  std::printf("\nepoch   loss     accuracy   trained at\n");
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
               curve.epochs.push_back(results[0]);
               if (files.json) files.json->write(to_json(report));
               if (files.curves) files.curves->write(learning_curves({&curve, 1}, curve.name));
             },
         .position = [&](const Position& position) { checkpoints.save(position); }},
        from);
  bar.clear();
  print_loss_scale(kernels);
  if (files.mistakes) {
    files.mistakes->write(mistakes_picture(sets.test, kernels.answers(), title_of(line)));
  }
}

/// One run for each batch, learning rate and seed: what they do to what is learnt, and how fast.
class Experiment {
 public:
  explicit Experiment(const CommandLine& line)
      : line_(line),
        files_(line),
        spec_(load_network(line.network)),
        chosen_(data::choose_dataset(line.data)),
        own_(choose(line_, spec_)) {}

  void run() {
    print_settings(line_, spec_, chosen_, {});
    std::printf("\nbatch   learning rate   seed   loss     accuracy   trained at\n");
    for (const int batch : line_.batches) {
      for (const float rate : line_.rates) {
        TrainOptions options = line_.train;
        options.batch = batch;
        options.learning_rate = rate;
        run_seeds(options);
      }
    }
  }

 private:
  static constexpr std::size_t kMostCurves = 4;  // in one picture

  // The same with each seed, then what they have in common.
  void run_seeds(TrainOptions options) {
    const std::size_t first = reports_.size();
    for (const std::uint64_t seed : line_.seeds) {
      options.seed = seed;
      run_one(options);
    }
    if (line_.seeds.size() > 1) print_spread(std::span(reports_).subspan(first));
  }

  static void print_spread(std::span<const Report> runs) {
    std::vector<double> percent;
    for (const Report& run : runs) {
      if (!run.epochs.empty()) percent.push_back(100 * run.epochs.back()[0].test_accuracy);
    }
    if (percent.empty()) return;
    const auto n = static_cast<double>(percent.size());
    const double mean = std::accumulate(percent.begin(), percent.end(), 0.0) / n;
    double squares = 0;
    for (const double p : percent) squares += (p - mean) * (p - mean);
    const auto [lowest, highest] = std::minmax_element(percent.begin(), percent.end());
    std::printf("%zu seeds: mean %.3f %%, standard deviation %.3f, from %.2f to %.2f %%\n",
                percent.size(), mean, n > 1 ? std::sqrt(squares / (n - 1)) : 0.0, *lowest,
                *highest);
  }

  void run_one(const TrainOptions& options) {
    KernelModel model(chosen_.sets, spec_, options, own_.kernels);
    Model* const models[] = {&model};
    Report& report = reports_.emplace_back(Report{model.name(),
                                                  "",
                                                  chosen_.source,
                                                  line_.network,
                                                  chosen_.sets.train.size(),
                                                  chosen_.sets.test.size(),
                                                  options,
                                                  {},
                                                  own_.choices});
    ProgressLine bar(options.epochs);
    char who[64];
    std::snprintf(who, sizeof(who), "%5d   %13g   %4llu", options.batch, options.learning_rate,
                  static_cast<unsigned long long>(options.seed));
    try {
      report.epochs = train(models, chosen_.sets, options,
                            {.progress = [&](const Progress& progress) { bar.show(progress); }});
      bar.clear();
      const EpochResult& last = report.epochs.back()[0];
      std::printf("%s   %.4f   %6.2f %%   %8.0f images/s\n", who, last.train_loss,
                  100 * last.test_accuracy, last.images_per_second);
      add_curve(report);
    } catch (const DivergedError& error) {
      bar.clear();
      std::printf("%s   %s\n", who, error.what());
    }
    std::fflush(stdout);
    if (files_.json) files_.json->write(to_json(reports_));
    if (files_.curves && !curves_.empty()) {
      files_.curves->write(learning_curves(curves_, title_of(line_)));
    }
  }

  void add_curve(const Report& report) {
    if (curves_.size() == kMostCurves) return;
    char name[64];
    std::snprintf(name, sizeof(name), "batch %d, rate %g", report.options.batch,
                  report.options.learning_rate);
    if (line_.seeds.size() > 1) {
      std::snprintf(name, sizeof(name), "batch %d, rate %g, seed %llu", report.options.batch,
                    report.options.learning_rate,
                    static_cast<unsigned long long>(report.options.seed));
    }
    Curve& curve = curves_.emplace_back(Curve{name, {}});
    for (const auto& epoch : report.epochs) curve.epochs.push_back(epoch[0]);
  }

  CommandLine line_;
  OutputFiles files_;
  NetworkSpec spec_;
  data::Choice chosen_;
  Chosen own_;
  std::vector<Report> reports_;
  std::vector<Curve> curves_;
};

}  // namespace

int main(int argc, char** argv) {
  // How the program tries one of the learner's kernels in a process of its own: see try_kernel.
  if (argc == 3 && argv[1] == std::string_view("--try-kernel") && !own_kernels().empty()) {
    answer_trial(own_kernels(), argv[2]);
  }
  try {
    const CommandLine line = parse_command_line({argv + 1, argv + argc});
    if (line.help) {
      std::fputs(help_text().c_str(), stdout);
      return 0;
    }
    if (line.own_kernels && own_kernels().empty()) {
      throw UsageError(
          "--kernels mine is for the program that has your kernels, ch16_mine; './learn run 16 -- "
          "--kernels mine' builds and runs it");
    }
    line.is_experiment() ? Experiment(line).run() : run(line);
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
