/// \file
/// Networks described in a few lines of text.
///
///     # The network of PyTorch's MNIST example
///     input 1 28 28        channels, height, width
///     conv 32 3            filters, side; then, if wanted: padding P, stride S
///     relu                 or sigmoid
///     maxpool 2            a last odd row or column is left out
///     dropout 0.25         the share of values set to 0
///     batchnorm
///     dense 128            flattens what comes before
///
/// One layer a line; what follows a `#` is for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tut::ch16 {

/// A description that cannot be used: one line, `FILE:LINE: what is wrong; expected ...`.
class NetworkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class LayerKind { conv, relu, sigmoid, maxpool, dropout, batchnorm, dense };

/// One image between two layers. What a dense layer gives has one row and one column.
struct ImageShape {
  int channels = 0, rows = 0, cols = 0;

  std::size_t size() const { return std::size_t{1} * channels * rows * cols; }
  friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// A part of the vector of all parameters, or of that of all running statistics.
struct Part {
  std::size_t begin = 0, size = 0;

  std::size_t end() const { return begin + size; }
  friend bool operator==(const Part&, const Part&) = default;
};

/// One layer, as described, and where it stands in the network.
struct Layer {
  LayerKind kind = LayerKind::relu;
  int outputs = 0;              ///< conv: filters; dense: values
  int side = 0;                 ///< conv: of a filter; maxpool: 2
  int padding = 0, stride = 1;  ///< conv
  float rate = 0;               ///< dropout: the share of values set to 0, below 1
  ImageShape in, out;
  Part weights;         ///< conv (outputs, in.channels, side, side); dense (outputs, in.size());
                        ///< batchnorm: scale (in.channels)
  Part bias;            ///< conv, dense (outputs); batchnorm: shift (in.channels)
  Part mean, variance;  ///< batchnorm: running statistics (in.channels), in the state vector

  /// Values that each output is a sum of: conv and dense.
  std::size_t fan_in() const {
    return kind == LayerKind::dense ? in.size() : std::size_t{1} * in.channels * side * side;
  }
  friend bool operator==(const Layer&, const Layer&) = default;
};

/// A whole network. Its parameters lie in one vector, layer after layer, weights before bias.
struct NetworkSpec {
  std::string name;  ///< where the description is from
  ImageShape input;
  std::vector<Layer> layers;
  std::size_t parameters = 0;  ///< length of the vector of all parameters
  std::size_t state = 0;       ///< length of the vector of batch-norm's running statistics

  ImageShape output() const { return layers.back().out; }
};

inline constexpr std::size_t kMaxParameters = std::size_t{64} << 20;

/// FLOPs of training on one image: of the products alone, forwards and for both gradients, without
/// that of the images, which is not needed.
double training_flops(const NetworkSpec& spec);

/// Reads a description. `name` stands for the file in messages.
/// Errors: NetworkError, for anything that is not a network: an unknown layer, a number out of
/// range, a filter that does not fit on its image, more than 64 Mi parameters or values of one
/// layer for one image, and so on.
NetworkSpec parse_network(std::string_view text, const std::string& name);

/// Reads the built-in network of that name, or else the file. Errors: NetworkError.
NetworkSpec load_network(const std::string& name_or_path);

/// Throws NetworkError unless the network takes images of that shape and gives a score for each
/// class by a dense layer at its end.
void require_classifier(const NetworkSpec& spec, ImageShape images, int classes);

/// A description that comes with the program.
struct BuiltInNetwork {
  std::string_view name, text;
};
std::span<const BuiltInNetwork> built_in_networks();

/// The layer as a line of a description, in one way of writing: "conv 32 3 padding 1".
std::string to_text(const Layer& layer);

/// The description in one way of writing, without comments: equal for equal networks.
std::string to_text(const NetworkSpec& spec);

/// 64 bits that tell texts apart (FNV-1a): fingerprint(to_text(spec)) stands for a network.
/// Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923).
std::uint64_t fingerprint(std::string_view text);

/// Parameters to start from: weights uniform in +-sqrt(6 / fan-in), biases and shifts 0, scales 1;
/// the same for the same seed on every machine.
/// Source: He, Zhang, Ren, Sun, "Delving deep into rectifiers" (2015).
std::vector<float> initial_parameters(const NetworkSpec& spec, std::uint64_t seed);

/// Running statistics to start from: means 0, variances 1.
std::vector<float> initial_state(const NetworkSpec& spec);

}  // namespace tut::ch16
