#include "16_cnn_trainer/trainer/experiment/run_setup.hpp"

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "tut/text/results_file.hpp"

namespace tut::ch16 {

namespace {

constexpr double kTrialSeconds = 10;  // for one kernel

std::optional<AtomicFile> open_file(const std::optional<std::string>& path) {
  if (!path) return std::nullopt;
  return AtomicFile(*path);
}

/// The file for results takes no other file's place.
std::optional<AtomicFile> open_results(const std::optional<std::string>& path) {
  std::optional<AtomicFile> file = open_file(path);
  if (path) {
    require_results_file(*path, "results of the trainer",
                         {"/settings/epochs", "/runs/0/settings/epochs"});
  }
  return file;
}

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

}  // namespace

OutputFiles::OutputFiles(const CommandLine& line)
    : json(open_results(line.json)),
      curves(open_file(line.curves)),
      mistakes(open_file(line.mistakes)) {}

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

void print_settings(const CommandLine& line, const NetworkSpec& spec, const data::Choice& chosen,
                    std::span<Model* const> models) {
  const TrainOptions& train = line.train;
  std::printf("data      %s: %zu images to train, %zu to test\n", chosen.source.c_str(),
              chosen.sets.train.size(), chosen.sets.test.size());
  std::printf("network   %s, %zu parameters, %s, %.2f MFLOP to train on an image\n",
              line.network.c_str(), spec.parameters, std::string(to_string(train.format)).c_str(),
              training_flops(spec) / 1e6);
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

std::string title_of(const CommandLine& line) {
  const std::string file = std::filesystem::path(line.network).filename().string();
  return "Training " + file + " in " + std::string(to_string(line.train.format));
}

}  // namespace tut::ch16
