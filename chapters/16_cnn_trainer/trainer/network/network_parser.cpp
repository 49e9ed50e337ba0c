#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "16_cnn_trainer/trainer/network/network_spec.hpp"
#include "16_cnn_trainer/trainer/network/printable.hpp"

namespace tut::ch16 {

namespace {

constexpr std::size_t kMaxLine = 200;       // characters, comment included
constexpr std::size_t kMaxText = 64 << 10;  // characters of a file
constexpr std::size_t kMaxLayers = 256;
constexpr std::uint64_t kMaxValues = std::uint64_t{64} << 20;  // of a layer, for one image
constexpr int kMaxSide = 1024;
constexpr int kMaxOutputs = 65536;

struct Rule {
  std::string_view word;
  LayerKind kind;
  std::string_view usage;
};

constexpr std::string_view kInputUsage = "input CHANNELS HEIGHT WIDTH";
constexpr Rule kRules[] = {
    {"conv", LayerKind::conv, "conv FILTERS SIDE, then padding P or stride S if wanted"},
    {"relu", LayerKind::relu, "relu alone"},
    {"sigmoid", LayerKind::sigmoid, "sigmoid alone"},
    {"maxpool", LayerKind::maxpool, "maxpool 2"},
    {"dropout", LayerKind::dropout, "dropout SHARE, such as 0.25"},
    {"batchnorm", LayerKind::batchnorm, "batchnorm alone"},
    {"dense", LayerKind::dense, "dense OUTPUTS"},
};

// Part of a file in a message: short, in one line, nothing that a terminal would obey.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 32;
  std::string shown(text.substr(0, kShown));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return "'" + shown + (text.size() > kShown ? "...'" : "'");
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

class Parser {
 public:
  explicit Parser(const std::string& name) { spec_.name = printable(name); }

  NetworkSpec parse(std::string_view text) {
    do {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      parse_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    } while (!text.empty());
    if (!has_input_)
      fail("no layers", "'" + std::string(kInputUsage) + "' and the layers after it");
    if (spec_.layers.empty()) fail("no layers", "at least one after the input");
    return std::move(spec_);
  }

 private:
  using Words = std::vector<std::string_view>;

  [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const {
    throw NetworkError(spec_.name + ":" + std::to_string(line_) + ": " + wrong + "; expected " +
                       expected);
  }

  void parse_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > kMaxLine) {
      fail("the line has " + std::to_string(line.size()) + " characters",
           "at most " + std::to_string(kMaxLine));
    }
    if (line.find('\0') != std::string_view::npos) fail("the line holds a NUL byte", "text");
    const Words words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) return;
    if (words[0] == "input") return parse_input(words);
    const Rule* const rule = std::ranges::find(kRules, words[0], &Rule::word);
    if (rule == std::end(kRules)) {
      fail("unknown layer " + quoted(words[0]),
           "conv, relu, sigmoid, maxpool, dropout, batchnorm or dense");
    }
    if (!has_input_) {
      fail(quoted(words[0]) + " before the input",
           "'" + std::string(kInputUsage) + "' as the first line");
    }
    if (spec_.layers.size() == kMaxLayers) {
      fail("one layer more than " + std::to_string(kMaxLayers), "at most that many");
    }
    parse_layer(words, *rule);
  }

  void parse_input(const Words& words) {
    if (has_input_) fail("a second input", "one, as the first line");
    if (words.size() != 4) wrong_form(words, kInputUsage);
    spec_.input = {number(words[1], "the number of channels", 1, kMaxOutputs),
                   number(words[2], "the height", 1, kMaxSide),
                   number(words[3], "the width", 1, kMaxSide)};
    require_size(spec_.input, "an image");
    shape_ = spec_.input;
    has_input_ = true;
  }

  void parse_layer(const Words& words, const Rule& rule) {
    Layer layer;
    layer.kind = rule.kind;
    layer.in = layer.out = shape_;
    switch (rule.kind) {
      case LayerKind::conv:
        parse_conv(words, rule, layer);
        break;
      case LayerKind::maxpool:
        parse_maxpool(words, rule, layer);
        break;
      case LayerKind::dropout:
        if (words.size() != 2) wrong_form(words, rule.usage);
        layer.rate = share(words[1]);
        break;
      case LayerKind::dense:
        if (words.size() != 2) wrong_form(words, rule.usage);
        layer.outputs = number(words[1], "the number of outputs", 1, kMaxOutputs);
        layer.out = {layer.outputs, 1, 1};
        break;
      case LayerKind::relu:
      case LayerKind::sigmoid:
      case LayerKind::batchnorm:
        if (words.size() != 1) wrong_form(words, rule.usage);
        break;
    }
    place(layer);
    shape_ = layer.out;
    spec_.layers.push_back(layer);
  }

  void parse_conv(const Words& words, const Rule& rule, Layer& layer) const {
    if (words.size() != 3 && words.size() != 5 && words.size() != 7) wrong_form(words, rule.usage);
    layer.outputs = number(words[1], "the number of filters", 1, kMaxOutputs);
    layer.side = number(words[2], "the side of a filter", 1, kMaxSide);
    bool has_padding = false, has_stride = false;
    for (std::size_t i = 3; i < words.size(); i += 2) {
      if (words[i] == "padding" && !has_padding) {
        layer.padding = number(words[i + 1], "the padding", 0, layer.side - 1);
        has_padding = true;
      } else if (words[i] == "stride" && !has_stride) {
        layer.stride = number(words[i + 1], "the stride", 1, kMaxSide);
        has_stride = true;
      } else {
        wrong_form(words, rule.usage);
      }
    }
    const int rows = shape_.rows + 2 * layer.padding, cols = shape_.cols + 2 * layer.padding;
    if (layer.side > std::min(rows, cols)) {
      fail("filters of " + std::to_string(layer.side) + " x " + std::to_string(layer.side) +
               " are larger than the image of " + std::to_string(rows) + " x " +
               std::to_string(cols) + (layer.padding > 0 ? ", padding included" : ""),
           "a side of at most " + std::to_string(std::min(rows, cols)));
    }
    layer.out = {layer.outputs, (rows - layer.side) / layer.stride + 1,
                 (cols - layer.side) / layer.stride + 1};
    require_size(layer.out, "the output");
  }

  void parse_maxpool(const Words& words, const Rule& rule, Layer& layer) const {
    if (words.size() != 2) wrong_form(words, rule.usage);
    layer.side = number(words[1], "the side of a pool", 2, 2);
    layer.out = {shape_.channels, shape_.rows / 2, shape_.cols / 2};
    if (layer.out.rows > 0 && layer.out.cols > 0) return;
    fail("nothing is left of an image of " + std::to_string(shape_.rows) + " x " +
             std::to_string(shape_.cols),
         "at least 2 x 2 before a max-pool");
  }

  // Where the layer's parameters and statistics lie: behind those of the layers before it.
  void place(Layer& layer) {
    std::uint64_t weights = 0, bias = 0;
    if (layer.kind == LayerKind::conv || layer.kind == LayerKind::dense) {
      weights = std::uint64_t{layer.fan_in()} * static_cast<std::uint64_t>(layer.outputs);
      bias = static_cast<std::uint64_t>(layer.outputs);
    } else if (layer.kind == LayerKind::batchnorm) {
      weights = bias = static_cast<std::uint64_t>(shape_.channels);
      layer.mean = {spec_.state, bias};
      layer.variance = {layer.mean.end(), bias};
      spec_.state = layer.variance.end();
    }
    const std::uint64_t total = spec_.parameters + weights + bias;
    if (total > kMaxParameters) {
      fail("with this layer the network has " + std::to_string(total) + " parameters",
           "at most " + std::to_string(kMaxParameters));
    }
    if (weights == 0) return;
    layer.weights = {spec_.parameters, weights};
    layer.bias = {layer.weights.end(), bias};
    spec_.parameters = layer.bias.end();
  }

  [[noreturn]] void wrong_form(const Words& words, std::string_view usage) const {
    fail(quoted({words.front().data(), words.back().data() + words.back().size()}),
         std::string(usage));
  }

  void require_size(ImageShape shape, const std::string& what) const {
    const std::uint64_t size = std::uint64_t{1} * shape.channels * shape.rows * shape.cols;
    if (size <= kMaxValues) return;
    fail(what + " has " + std::to_string(size) + " values",
         "at most " + std::to_string(kMaxValues));
  }

  int number(std::string_view word, const std::string& what, int lowest, int highest) const {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= lowest &&
        value <= highest) {
      return value;
    }
    const std::string low = std::to_string(lowest);
    fail(what + " is " + quoted(word),
         lowest == highest ? low : "a whole number from " + low + " to " + std::to_string(highest));
  }

  float share(std::string_view word) const {
    float value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= 0 && value < 1) {
      return value == 0 ? 0.0f : value;  // never -0
    }
    fail("the share of values set to 0 is " + quoted(word), "a number from 0 to below 1");
  }

  NetworkSpec spec_;
  ImageShape shape_;  // after the layers so far
  int line_ = 0;
  bool has_input_ = false;
};

std::string read_text(const std::string& path) {
  std::error_code ignored;
  const std::string name = printable(path);
  if (!std::filesystem::is_regular_file(path, ignored)) {
    std::string expected = "a file";
    for (const BuiltInNetwork& network : built_in_networks()) {
      expected += " or '" + std::string(network.name) + "'";
    }
    throw NetworkError(
        name +
        (std::filesystem::exists(path, ignored) ? ": is not a file" : ": there is no such file") +
        "; expected " + expected);
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxText + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!file.is_open() || file.bad()) {
    throw NetworkError(name + ": cannot be read; expected the text of a network");
  }
  if (text.size() > kMaxText) {
    throw NetworkError(name + ": has more than " + std::to_string(kMaxText) +
                       " bytes; expected the text of a network");
  }
  return text;
}

}  // namespace

NetworkSpec parse_network(std::string_view text, const std::string& name) {
  return Parser(name).parse(text);
}

NetworkSpec load_network(const std::string& name_or_path) {
  for (const BuiltInNetwork& network : built_in_networks()) {
    if (network.name == name_or_path) return parse_network(network.text, name_or_path);
  }
  return parse_network(read_text(name_or_path), name_or_path);
}

}  // namespace tut::ch16
