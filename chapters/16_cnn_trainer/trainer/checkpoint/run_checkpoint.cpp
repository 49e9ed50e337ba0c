#include "16_cnn_trainer/trainer/checkpoint/run_checkpoint.hpp"

#include <charconv>
#include <sstream>
#include <utility>
#include <vector>

namespace tut::ch16 {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The shortest text that is this number.
template <class T>
std::string exact(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

// What a run must go on with.
Pairs fixed_options(const TrainOptions& o, const std::string& data) {
  return {{"data", data},
          {"epochs", exact(o.epochs)},
          {"batch", exact(o.batch)},
          {"accumulate", exact(o.accumulate)},
          {"optimiser", std::string(to_string(o.optimiser))},
          {"lr", exact(o.learning_rate)},
          {"momentum", exact(o.momentum)},
          {"weight_decay", exact(o.weight_decay)},
          {"warmup", exact(o.warmup)},
          {"decay", std::string(to_string(o.decay))},
          {"format", std::string(to_string(o.format))},
          {"loss_scale", exact(o.loss_scale)},
          {"augment", o.augment ? "yes" : "no"},
          {"seed", exact(o.seed)}};
}

// Whose kernels: others sum in another order. The key is left out where all are the course's.
std::string own_kernels(const TrainOptions& options) {
  std::string names;
  for (const std::string& name : options.own_kernels) names += (names.empty() ? "" : " ") + name;
  return names;
}

constexpr const char* kKernels = "own_kernels";
constexpr const char* kLoss = "epoch_loss";
constexpr const char* kResults = "results";

// "loss accuracy rate" of each epoch, with commas between.
std::string results_text(const std::vector<EpochResult>& results) {
  std::string text;
  for (const EpochResult& result : results) {
    if (!text.empty()) text += ',';
    text += exact(result.train_loss) + ' ' + exact(result.test_accuracy) + ' ' +
            exact(result.images_per_second);
  }
  return text;
}

class Fields {
 public:
  Fields(const Checkpoint& checkpoint, const std::filesystem::path& path)
      : checkpoint_(checkpoint), path_(path) {}

  const std::string& text(const std::string& key) const {
    if (const std::string* value = checkpoint_.option(key)) return *value;
    throw CheckpointError(path_.string() + ": the checkpoint has no '" + key + "'; expected one");
  }

  std::string_view number(std::string_view text, double& value) const {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
      throw CheckpointError(path_.string() + ": found '" + std::string(text.substr(0, 40)) +
                            "' where a number was expected");
    }
    return text.substr(static_cast<std::size_t>(end - text.data()));
  }

  std::vector<EpochResult> results() const {
    std::vector<EpochResult> all;
    std::string_view rest = text(kResults);
    while (!rest.empty()) {
      EpochResult result;
      result.epoch = static_cast<int>(all.size()) + 1;
      for (double* value : {&result.train_loss, &result.test_accuracy, &result.images_per_second}) {
        if (!rest.empty() && (rest.front() == ' ' || rest.front() == ',')) rest.remove_prefix(1);
        rest = number(rest, *value);
      }
      all.push_back(result);
    }
    if (all.size() == checkpoint_.epoch) return all;
    throw CheckpointError(path_.string() + ": the checkpoint has results of " +
                          std::to_string(all.size()) + " epochs; expected " +
                          std::to_string(checkpoint_.epoch));
  }

 private:
  const Checkpoint& checkpoint_;
  const std::filesystem::path& path_;
};

}  // namespace

Checkpoint make_checkpoint(const TrainOptions& options, const std::string& data,
                           const Position& position) {
  Checkpoint checkpoint;
  checkpoint.options = fixed_options(options, data);
  if (!options.own_kernels.empty()) {
    checkpoint.options.emplace_back(kKernels, own_kernels(options));
  }
  checkpoint.options.emplace_back(kLoss, exact(position.loss));
  checkpoint.options.emplace_back(kResults, results_text(position.results));
  checkpoint.epoch = static_cast<std::uint64_t>(position.epoch);
  checkpoint.images = position.images;
  checkpoint.step = checkpoint.optimiser_steps = position.step;
  return checkpoint;
}

Position read_position(const Checkpoint& checkpoint, const TrainOptions& options,
                       const std::string& data, const std::filesystem::path& path) {
  const Fields fields(checkpoint, path);
  for (const auto& [key, value] : fixed_options(options, data)) {
    const std::string& found = fields.text(key);
    if (found == value) continue;
    throw CheckpointError(path.string() + ": the checkpoint's run has " + key + " " + found +
                          ", and " + value + " is asked for; expected what it was begun with");
  }
  const std::string* own = checkpoint.option(kKernels);
  const std::string begun = own == nullptr ? "" : *own, expected = own_kernels(options);
  if (begun != expected) {
    const auto named = [](const std::string& names) {
      return names.empty() ? std::string("the reference alone") : names;
    };
    throw CheckpointError(path.string() + ": the checkpoint's run has the kernels of " +
                          named(begun) + ", and those of " + named(expected) +
                          " are asked for; expected what it was begun with");
  }
  Position position;
  position.epoch = static_cast<int>(checkpoint.epoch);
  position.images = checkpoint.images;
  position.step = checkpoint.step;
  fields.number(fields.text(kLoss), position.loss);
  position.results = fields.results();
  return position;
}

}  // namespace tut::ch16
