#include "16_cnn_trainer/command_line.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tut::ch16 {

namespace {

constexpr int kMaxEpochs = 10'000;
constexpr int kMaxBatch = 65'535;  // what the kernels' grids can take

template <class T>
bool read_whole(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

int integer(const std::string& flag, const std::string& text, int most) {
  int value = 0;
  if (read_whole(text, value) && value >= 1 && value <= most) return value;
  throw UsageError(flag + " is '" + text + "'; expected a whole number from 1 to " +
                   std::to_string(most));
}

std::uint64_t seed(const std::string& flag, const std::string& text) {
  std::uint64_t value = 0;
  if (read_whole(text, value)) return value;
  throw UsageError(flag + " is '" + text + "'; expected a whole number from 0 to 2^64 - 1");
}

float learning_rate(const std::string& flag, const std::string& text) {
  float value = 0;
  if (read_whole(text, value) && std::isfinite(value) && value > 0) return value;
  throw UsageError(flag + " is '" + text + "'; expected a number above 0");
}

float momentum(const std::string& flag, const std::string& text) {
  float value = 0;
  if (read_whole(text, value) && value >= 0 && value < 1) return value;
  throw UsageError(flag + " is '" + text + "'; expected a number from 0 to below 1");
}

std::string name(const std::string& flag, const std::string& text) {
  if (!text.empty()) return text;
  throw UsageError(flag + " is ''; expected a name");
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

}  // namespace

CommandLine parse_command_line(std::span<const char* const> all) {
  CommandLine line;
  Arguments arguments(all);
  while (!arguments.empty()) {
    const std::string flag = arguments.flag();
    if (flag == "--epochs") {
      line.train.epochs = integer(flag, arguments.value(flag), kMaxEpochs);
    } else if (flag == "--batch") {
      line.train.batch = integer(flag, arguments.value(flag), kMaxBatch);
    } else if (flag == "--lr") {
      line.train.learning_rate = learning_rate(flag, arguments.value(flag));
    } else if (flag == "--momentum") {
      line.train.momentum = momentum(flag, arguments.value(flag));
    } else if (flag == "--seed") {
      line.train.seed = seed(flag, arguments.value(flag));
    } else if (flag == "--data") {
      line.data = name(flag, arguments.value(flag));
    } else if (flag == "--json") {
      line.json = name(flag, arguments.value(flag));
    } else if (flag == "--compare" || flag == "--help") {
      arguments.require_no_value(flag);
      (flag == "--compare" ? line.compare : line.help) = true;
    } else {
      throw UsageError("unknown argument '" + flag + "'; --help lists those there are");
    }
  }
  return line;
}

std::string help_text() {
  return R"(Trains a small convolutional network to read digits.

  --epochs N      passes over the training set (3)
  --batch B       images a step (32)
  --lr R          learning rate of the first step; it falls to 0 along a straight line (0.02)
  --momentum M    how much of a step goes into the next (0.9)
  --seed S        of the first parameters and the order of the images (1)
  --data DIR      a folder with MNIST's four files, plain or .gz; or `drawn`.
                  Otherwise TUT_DATA_DIR, then data/mnist, then digits drawn by the program
  --json FILE     write the results to FILE after every epoch
  --compare       train the same network in plain C++ loops as well, side by side
  --help          print this
)";
}

}  // namespace tut::ch16
