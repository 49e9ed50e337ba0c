#include "16_cnn_trainer/trainer/command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace tut::ch16 {

namespace {

constexpr int kMaxEpochs = 10'000;
constexpr int kMaxBatch = 65'535;  // what the kernels' grids can take
constexpr int kMaxAccumulate = 10'000;
constexpr int kMaxSeconds = 86'400;
constexpr std::size_t kMaxRuns = 1000;

template <class T>
bool read_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

[[noreturn]] void refuse(const std::string& flag, const std::string& text,
                         const std::string& expected) {
  throw UsageError(flag + " is '" + text + "'; expected " + expected);
}

// Each of these reads the text after a flag, or makes a function that does.

auto whole_number(int least, int most) {
  return [=](const std::string& flag, const std::string& text) {
    int value = 0;
    if (read_whole(text, value) && value >= least && value <= most) return value;
    refuse(flag, text,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  };
}

template <class Good>
float number(const std::string& flag, const std::string& text, const char* expected, Good good) {
  float value = 0;
  if (read_whole(text, value) && std::isfinite(value) && good(value)) return value;
  refuse(flag, text, expected);
}

float positive(const std::string& flag, const std::string& text) {
  return number(flag, text, "a number above 0", [](float value) { return value > 0; });
}

float not_negative(const std::string& flag, const std::string& text) {
  return number(flag, text, "a number of at least 0", [](float value) { return value >= 0; });
}

float below_one(const std::string& flag, const std::string& text) {
  return number(flag, text, "a number from 0 to below 1",
                [](float value) { return value >= 0 && value < 1; });
}

float loss_scale(const std::string& flag, const std::string& text) {
  return text == "dynamic" ? 0 : positive(flag, text);
}

std::string name(const std::string& flag, const std::string& text) {
  if (text.empty()) refuse(flag, text, "a name");
  return text;
}

/// One of some words, each with what it stands for.
template <class T>
auto one_of(std::vector<std::pair<std::string, T>> words) {
  return [words](const std::string& flag, const std::string& text) {
    std::string expected;
    for (const auto& [word, value] : words) {
      if (text == word) return value;
      expected += (expected.empty() ? "" : ", ") + word;
    }
    refuse(flag, text, "one of " + expected);
  };
}

/// "16,32": one value, or several.
template <class Read>
auto list_of(Read read) {
  return [read](const std::string& flag, const std::string& text) {
    std::vector<decltype(read(flag, text))> values;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      values.push_back(read(flag, text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return values;
  };
}

/// "7", or "1-30": the seeds from one to the other.
std::vector<std::uint64_t> seed_range(const std::string& flag, const std::string& text) {
  const std::size_t dash = text.find('-');
  std::uint64_t first = 0, last = 0;
  const bool read = read_whole(std::string_view(text).substr(0, dash), first) &&
                    read_whole(std::string_view(text).substr(dash + 1), last);
  if (!read) refuse(flag, text, "a whole number from 0 to 2^64 - 1, or two with a '-' between");
  if (last < first || last - first >= kMaxRuns) {
    refuse(flag, text,
           "the lower seed first, and at most " + std::to_string(kMaxRuns) + " of them");
  }
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i <= last - first; ++i) all.push_back(first + i);
  return all;
}

std::vector<std::uint64_t> seeds(const std::string& flag, const std::string& text) {
  std::vector<std::uint64_t> all;
  for (const auto& some : list_of(seed_range)(flag, text)) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// The options, as CLI11 knows them. What a value may be is said by the functions above.
class Parser {
 public:
  explicit Parser(CommandLine& line) : line_(line) {
    app_.set_help_flag();
    app_.get_formatter()->column_width(22);
    add_network();
    add_training();
    add_files();
    group_ = "the rest";
    flag("--compare", line.compare, "train the same network in plain C++ loops, side by side");
    flag("--help", line.help, "print this");
  }

  std::string help() const { return app_.help(); }

  void parse(std::span<const char* const> arguments) {
    std::vector<std::string> words;  // the last one first, as CLI11 wants them
    for (const std::string argument : arguments) {
      // An empty value after an '=' would be none to CLI11.
      const std::size_t equals =
          argument.starts_with("--") ? argument.find('=') : std::string::npos;
      words.insert(words.begin(), argument.substr(0, equals));
      if (equals == std::string::npos) continue;
      const CLI::Option* const option = app_.get_option_no_throw(words[0]);
      if (option != nullptr && option->get_expected_max() == 0) {
        throw UsageError(words[0] + " takes no value; found '" + argument.substr(equals + 1) + "'");
      }
      words.insert(words.begin(), argument.substr(equals + 1));
    }
    try {
      app_.parse(std::vector(words));
    } catch (const CLI::ExtrasError&) {
      throw UsageError("unknown argument '" + app_.remaining()[0] +
                       "'; --help lists those there are");
    } catch (const CLI::ArgumentMismatch&) {
      throw UsageError(words[0] + " has no value; expected one after it");
    }
  }

 private:
  // What `read` makes of the flag and the text after it becomes the value.
  template <class T, class Read>
  void option(const std::string& flag, const char* text_name, const char* help, T& value,
              Read read) {
    const auto set = [&value, flag, read](const std::string& text) { value = read(flag, text); };
    CLI::Option* const option = app_.add_option_function<std::string>(flag, set, help);
    option->type_name(text_name)->take_last()->group(group_);
  }
  void flag(const char* name, bool& on, const char* help) {
    app_.add_flag(name, on, help)->group(group_);
  }

  void add_network() {
    group_ = "the network";
    TrainOptions& train = line_.train;
    option("--network", "N",
           "small, example (PyTorch's MNIST example),\n"
           "or a file that describes one (small)",
           line_.network, name);
    option("--format", "F", "fp32; or tf32, fp16, bf16 on tensor cores (fp32)", train.format,
           one_of<NumberFormat>({{"fp32", NumberFormat::fp32},
                                 {"tf32", NumberFormat::tf32},
                                 {"fp16", NumberFormat::fp16},
                                 {"bf16", NumberFormat::bf16}}));
    option("--loss-scale", "S", "of fp16: a number, or dynamic (dynamic)", train.loss_scale,
           loss_scale);
    option("--kernels", "K",
           "reference, or mine: your own solutions of exercises,\n"
           "each where it is right. `./learn run 16 -- --kernels mine`\n"
           "builds the program that has them (reference)",
           line_.own_kernels, one_of<bool>({{"reference", false}, {"mine", true}}));
  }

  void add_training() {
    group_ = "the training";
    TrainOptions& train = line_.train;
    option("--epochs", "N", "passes over the training set (3)", train.epochs,
           whole_number(1, kMaxEpochs));
    option("--batch", "B", "images in a batch (32)", line_.batches,
           list_of(whole_number(1, kMaxBatch)));
    option("--accumulate", "K",
           "batches whose gradients make a step: a large\n"
           "batch in little memory (1)",
           train.accumulate, whole_number(1, kMaxAccumulate));
    option("--optimiser", "O", "sgd or adam; or lion, with --kernels mine (sgd)", train.optimiser,
           one_of<Optimiser>(
               {{"sgd", Optimiser::sgd}, {"adam", Optimiser::adam}, {"lion", Optimiser::lion}}));
    option("--lr", "R", "learning rate after the warm-up (0.02)", line_.rates, list_of(positive));
    option("--warmup", "E", "epochs in which the learning rate rises from 0 (0)", train.warmup,
           not_negative);
    option("--decay", "D", "none, linear or cosine: how the rate falls then (linear)", train.decay,
           one_of<Decay>(
               {{"none", Decay::none}, {"linear", Decay::linear}, {"cosine", Decay::cosine}}));
    option("--momentum", "M", "share of the last step that is kept, for sgd (0.9)", train.momentum,
           below_one);
    option("--weight-decay", "W", "how strongly weights are pulled towards 0 (0)",
           train.weight_decay, not_negative);
    flag("--augment", train.augment, "shift, turn and scale the images at random");
    option("--patience", "E", "stop after E epochs without a better test accuracy; 0: never (0)",
           train.patience, whole_number(0, kMaxEpochs));
    option("--seed", "S",
           "seed of the first parameters, the order of the images and\n"
           "all else that is random (1). Several values of --batch, --lr\n"
           "or --seed, as in --batch 32,256 or --seed 1-30, make an\n"
           "experiment: a line for each run, also if it diverges",
           line_.seeds, seeds);
  }

  void add_files() {
    group_ = "the files";
    option("--data", "DIR",
           "a folder with MNIST's four files, plain or .gz; or `drawn`.\n"
           "Otherwise TUT_DATA_DIR, then data/mnist, then digits\n"
           "drawn by the program",
           line_.data, name);
    option("--json", "FILE", "write the results to FILE after every epoch", line_.json, name);
    option("--curves", "FILE", "draw loss and accuracy as a picture (SVG)", line_.curves, name);
    option("--mistakes", "FILE", "draw the test images that the network got wrong (SVG)",
           line_.mistakes, name);
    option("--checkpoint", "FILE", "save what the run needs to go on, after every epoch",
           line_.checkpoint, name);
    option("--checkpoint-seconds", "S", "save it every S seconds, too (10); 0: every 2048 images",
           line_.checkpoint_seconds, whole_number(0, kMaxSeconds));
    flag("--resume", line_.resume,
         "go on from the checkpoint, if there is one; without\n"
         "--resume an existing checkpoint is not overwritten");
  }

  CommandLine& line_;
  CLI::App app_{"Trains a convolutional network to read digits.", "./learn run 16 --"};
  std::string group_;
};

// A file that is written must not take the place of another that is written or read.
void require_different_files(const CommandLine& line) {
  namespace fs = std::filesystem;
  std::vector<std::pair<const char*, fs::path>> files;
  if (fs::exists(line.network)) files.emplace_back("--network", line.network);
  for (const auto& [flag, file] :
       {std::pair("--checkpoint", line.checkpoint), std::pair("--json", line.json),
        std::pair("--curves", line.curves), std::pair("--mistakes", line.mistakes)}) {
    if (!file) continue;
    const fs::path path = fs::path(*file).lexically_normal();
    for (const auto& [earlier_flag, earlier] : files) {
      if (earlier.lexically_normal() != path) continue;
      throw UsageError(std::string(earlier_flag) + " and " + flag +
                       " name the same file; expected a file for each");
    }
    files.emplace_back(flag, path);
  }
}

// Settings that go only with others.
void require_together(const CommandLine& line) {
  const TrainOptions& train = line.train;
  const auto demand = [](bool condition, const char* what) {
    if (!condition) throw UsageError(what);
  };
  demand(train.warmup <= static_cast<float>(train.epochs),
         "--warmup is longer than the run; expected at most as many epochs as --epochs");
  demand(!line.resume || line.checkpoint,
         "--resume goes on from a checkpoint; expected --checkpoint FILE as well");
  demand(train.loss_scale == 0 || train.format == NumberFormat::fp16,
         "--loss-scale is for --format fp16; expected that as well");
  demand(!line.own_kernels || train.format == NumberFormat::fp32,
         "--kernels mine are solutions of exercises in FP32; expected --format fp32");
  demand(train.optimiser != Optimiser::lion || line.own_kernels,
         "--optimiser lion is an exercise of chapter 14; expected --kernels mine as well");
  const bool plain = line.network == "small" && train.format == NumberFormat::fp32 &&
                     train.optimiser == Optimiser::sgd && train.accumulate == 1 && !train.augment &&
                     !line.checkpoint && !line.is_experiment();
  demand(!line.compare || plain,
         "--compare trains the plain loops, which know the small network in fp32 with sgd; "
         "expected no other --network, --format, --optimiser, no --accumulate, --augment, "
         "--checkpoint and no lists");
  demand(!line.is_experiment() || (!line.checkpoint && !line.mistakes),
         "several --batch, --lr or --seed make an experiment; expected no --checkpoint and no "
         "--mistakes");
  demand(
      line.batches.size() * line.rates.size() * line.seeds.size() <= kMaxRuns,
      "the experiment has more than 1000 runs; expected fewer values of --batch, --lr and --seed");
}

}  // namespace

CommandLine parse_command_line(std::span<const char* const> all) {
  CommandLine line;
  line.batches = {line.train.batch};
  line.rates = {line.train.learning_rate};
  line.seeds = {line.train.seed};
  Parser(line).parse(all);
  line.train.batch = line.batches.front();
  line.train.learning_rate = line.rates.front();
  line.train.seed = line.seeds.front();
  if (line.help) return line;
  require_together(line);
  require_different_files(line);
  return line;
}

std::string help_text() {
  CommandLine line;
  return Parser(line).help();
}

}  // namespace tut::ch16
