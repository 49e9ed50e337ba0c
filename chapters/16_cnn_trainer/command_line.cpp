#include "16_cnn_trainer/command_line.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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

int integer(const std::string& flag, const std::string& text, int least, int most) {
  int value = 0;
  if (read_whole(text, value) && value >= least && value <= most) return value;
  refuse(flag, text,
         "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
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

std::string name(const std::string& flag, const std::string& text) {
  if (text.empty()) refuse(flag, text, "a name");
  return text;
}

/// One of some words, each with what it stands for.
template <class T>
T choice(const std::string& flag, const std::string& text,
         std::initializer_list<std::pair<std::string_view, T>> words) {
  std::string expected;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(word);
  }
  refuse(flag, text, "one of " + expected);
}

/// "16,32": one value, or several.
template <class T, class Read>
std::vector<T> list(const std::string& text, Read read) {
  std::vector<T> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(read(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

/// "7", or "1-30": the seeds from one to the other.
std::vector<std::uint64_t> seeds(const std::string& flag, const std::string& text) {
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

// The arguments, one at a time.
class Arguments {
 public:
  explicit Arguments(std::span<const char* const> all) : rest_(all) {}

  bool empty() const { return rest_.empty(); }

  // The next flag, without its value.
  std::string flag() {
    std::string argument = next();
    const std::size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos) return argument;
    value_ = argument.substr(equals + 1);
    return argument.substr(0, equals);
  }

  std::string value(const std::string& flag) {
    if (value_) return *std::exchange(value_, std::nullopt);
    if (rest_.empty()) throw UsageError(flag + " has no value; expected one after it");
    return next();
  }

  void require_no_value(const std::string& flag) const {
    if (value_) throw UsageError(flag + " takes no value; found '" + *value_ + "'");
  }

 private:
  std::string next() {
    std::string argument = rest_.front();
    rest_ = rest_.subspan(1);
    return argument;
  }

  std::span<const char* const> rest_;
  std::optional<std::string> value_;  // what stood after the flag's '='
};

using Switches = std::map<std::string, bool*, std::less<>>;
using Settings =
    std::map<std::string, std::function<void(const std::string& flag, const std::string& text)>,
             std::less<>>;

Switches switches(CommandLine& line) {
  return {{"--augment", &line.train.augment},
          {"--resume", &line.resume},
          {"--compare", &line.compare},
          {"--help", &line.help}};
}

// How the training goes.
void add_training(CommandLine& line, Settings& settings) {
  TrainOptions& train = line.train;
  settings["--epochs"] = [&](auto& flag, auto& text) {
    train.epochs = integer(flag, text, 1, kMaxEpochs);
  };
  settings["--batch"] = [&](auto& flag, auto& text) {
    line.batches =
        list<int>(text, [&](const std::string& one) { return integer(flag, one, 1, kMaxBatch); });
  };
  settings["--accumulate"] = [&](auto& flag, auto& text) {
    train.accumulate = integer(flag, text, 1, kMaxAccumulate);
  };
  settings["--lr"] = [&](auto& flag, auto& text) {
    line.rates = list<float>(text, [&](const std::string& one) { return positive(flag, one); });
  };
  settings["--optimiser"] = [&](auto& flag, auto& text) {
    train.optimiser = choice<Optimiser>(
        flag, text,
        {{"sgd", Optimiser::sgd}, {"adam", Optimiser::adam}, {"lion", Optimiser::lion}});
  };
  settings["--momentum"] = [&](auto& flag, auto& text) {
    train.momentum = number(flag, text, "a number from 0 to below 1",
                            [](float value) { return value >= 0 && value < 1; });
  };
  settings["--weight-decay"] = [&](auto& flag, auto& text) {
    train.weight_decay = not_negative(flag, text);
  };
  settings["--warmup"] = [&](auto& flag, auto& text) { train.warmup = not_negative(flag, text); };
  settings["--decay"] = [&](auto& flag, auto& text) {
    train.decay = choice<Decay>(
        flag, text, {{"none", Decay::none}, {"linear", Decay::linear}, {"cosine", Decay::cosine}});
  };
  settings["--patience"] = [&](auto& flag, auto& text) {
    train.patience = integer(flag, text, 0, kMaxEpochs);
  };
  settings["--seed"] = [&](auto& flag, auto& text) {
    line.seeds.clear();
    for (const auto& some : list<std::vector<std::uint64_t>>(
             text, [&](const std::string& one) { return seeds(flag, one); })) {
      line.seeds.insert(line.seeds.end(), some.begin(), some.end());
    }
  };
}

// What is trained, and what becomes of it.
void add_rest(CommandLine& line, Settings& settings) {
  settings["--network"] = [&](auto& flag, auto& text) { line.network = name(flag, text); };
  settings["--format"] = [&](auto& flag, auto& text) {
    line.train.format = choice<NumberFormat>(flag, text,
                                             {{"fp32", NumberFormat::fp32},
                                              {"tf32", NumberFormat::tf32},
                                              {"fp16", NumberFormat::fp16},
                                              {"bf16", NumberFormat::bf16}});
  };
  settings["--kernels"] = [&](auto& flag, auto& text) {
    line.own_kernels = choice<bool>(flag, text, {{"reference", false}, {"mine", true}});
  };
  settings["--loss-scale"] = [&](auto& flag, auto& text) {
    line.train.loss_scale = text == "dynamic" ? 0 : positive(flag, text);
  };
  settings["--checkpoint-seconds"] = [&](auto& flag, auto& text) {
    line.checkpoint_seconds = integer(flag, text, 0, kMaxSeconds);
  };
  using Text = std::optional<std::string>;
  const std::initializer_list<std::pair<const char*, Text*>> texts = {
      {"--data", &line.data},
      {"--json", &line.json},
      {"--curves", &line.curves},
      {"--mistakes", &line.mistakes},
      {"--checkpoint", &line.checkpoint}};
  for (const auto& [flag_name, text_out] : texts) {
    settings[flag_name] = [out = text_out](auto& flag, auto& text) { *out = name(flag, text); };
  }
}

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
  const Switches known_switches = switches(line);
  Settings settings;
  add_training(line, settings);
  add_rest(line, settings);
  Arguments arguments(all);
  while (!arguments.empty()) {
    const std::string flag = arguments.flag();
    if (const auto found = settings.find(flag); found != settings.end()) {
      found->second(flag, arguments.value(flag));
    } else if (const auto on = known_switches.find(flag); on != known_switches.end()) {
      arguments.require_no_value(flag);
      *on->second = true;
    } else {
      throw UsageError("unknown argument '" + flag + "'; --help lists those there are");
    }
  }
  line.train.batch = line.batches.front();
  line.train.learning_rate = line.rates.front();
  line.train.seed = line.seeds.front();
  if (line.help) return line;
  require_together(line);
  require_different_files(line);
  return line;
}

std::string help_text() {
  return R"(Trains a convolutional network to read digits.

the network
  --network N     small, example (PyTorch's MNIST example), or a file that describes one (small)
  --format F      fp32; or tf32, fp16, bf16 on tensor cores (fp32)
  --loss-scale S  of fp16: a number, or dynamic (dynamic)
  --kernels K     reference, or mine: your own solutions of exercises, each where it is right.
                  `./learn run 16 -- --kernels mine` builds the program that has them (reference)

the training
  --epochs N      passes over the training set (3)
  --batch B       images that go through together (32)
  --accumulate K  batches a step: a large batch in little memory (1)
  --optimiser O   sgd or adam; or lion, with --kernels mine (sgd)
  --lr R          learning rate after the warm-up (0.02)
  --warmup E      epochs in which the learning rate rises from 0 (0)
  --decay D       none, linear or cosine: how it falls after that (linear)
  --momentum M    how much of a step goes into the next, for sgd (0.9)
  --weight-decay W  how strongly weights are drawn to 0 (0)
  --augment       shift, turn and scale the images at random
  --patience E    stop after E epochs without a better test accuracy; 0: never (0)
  --seed S        of the first parameters, the order of the images, all that is random (1)
                  Several values, as in --batch 32,256,2048 or --seed 1-30, make an experiment:
                  --batch, --lr, --seed. A run of it that diverges is a line that says so

the files
  --data DIR      a folder with MNIST's four files, plain or .gz; or `drawn`.
                  Otherwise TUT_DATA_DIR, then data/mnist, then digits drawn by the program
  --json FILE     write the results to FILE after every epoch
  --curves FILE   a picture (SVG) of loss and accuracy
  --mistakes FILE a picture (SVG) of test images that the network got wrong
  --checkpoint FILE  keep there what the run needs to go on, after every epoch
  --checkpoint-seconds S  ... and every S seconds (10); 0: after every 2048 images
  --resume        go on from the checkpoint, if there is one; a file that is there is kept otherwise

  --compare       train the same network in plain C++ loops as well, side by side
  --help          print this
)";
}

}  // namespace tut::ch16
