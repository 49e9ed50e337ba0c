#include "16_cnn_trainer/trainer/network/network_spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tut/data/counter_random.hpp"

namespace tut::ch16 {

namespace {

constexpr std::uint64_t kParameterStream = 0;  // as architecture.cpp has it

std::string_view word_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::conv:
      return "conv";
    case LayerKind::relu:
      return "relu";
    case LayerKind::sigmoid:
      return "sigmoid";
    case LayerKind::maxpool:
      return "maxpool";
    case LayerKind::dropout:
      return "dropout";
    case LayerKind::batchnorm:
      return "batchnorm";
    case LayerKind::dense:
      break;
  }
  return "dense";
}

void fill(std::span<float> weights, std::size_t fan_in, data::CounterRandom& random) {
  const float bound = std::sqrt(6.0f / static_cast<float>(fan_in));
  for (float& weight : weights) weight = (2.0f * random.uniform() - 1.0f) * bound;
}

std::span<float> part_of(std::vector<float>& all, Part part) {
  return std::span(all).subspan(part.begin, part.size);
}

std::string text_of(ImageShape shape) {
  return std::to_string(shape.channels) + " x " + std::to_string(shape.rows) + " x " +
         std::to_string(shape.cols);
}

}  // namespace

void require_classifier(const NetworkSpec& spec, ImageShape images, int classes) {
  if (spec.input != images) {
    throw NetworkError(spec.name + ": the network takes images of " + text_of(spec.input) +
                       "; expected " + text_of(images) + ", as the data has them");
  }
  const Layer& last = spec.layers.back();
  if (last.kind == LayerKind::dense && last.outputs == classes) return;
  throw NetworkError(spec.name + ": the last layer is '" + to_text(last) + "'; expected 'dense " +
                     std::to_string(classes) + "', a score for each class");
}

std::string to_text(const Layer& layer) {
  std::string text(word_of(layer.kind));
  switch (layer.kind) {
    case LayerKind::conv:
      text += " " + std::to_string(layer.outputs) + " " + std::to_string(layer.side);
      if (layer.padding != 0) text += " padding " + std::to_string(layer.padding);
      if (layer.stride != 1) text += " stride " + std::to_string(layer.stride);
      break;
    case LayerKind::maxpool:
      text += " " + std::to_string(layer.side);
      break;
    case LayerKind::dropout: {
      char digits[32];  // the shortest that are this number
      text += " ";
      text.append(digits, std::to_chars(digits, digits + sizeof(digits), layer.rate).ptr);
      break;
    }
    case LayerKind::dense:
      text += " " + std::to_string(layer.outputs);
      break;
    case LayerKind::relu:
    case LayerKind::sigmoid:
    case LayerKind::batchnorm:
      break;
  }
  return text;
}

std::string to_text(const NetworkSpec& spec) {
  std::string text = "input " + std::to_string(spec.input.channels) + " " +
                     std::to_string(spec.input.rows) + " " + std::to_string(spec.input.cols) + "\n";
  for (const Layer& layer : spec.layers) text += to_text(layer) + "\n";
  return text;
}

double training_flops(const NetworkSpec& spec) {
  double flops = 0;
  for (const Layer& layer : spec.layers) {
    if (layer.kind != LayerKind::conv && layer.kind != LayerKind::dense) continue;
    const int products = &layer == spec.layers.data() ? 2 : 3;
    flops += products * 2.0 * static_cast<double>(layer.out.size() * layer.fan_in());
  }
  return flops;
}

std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::vector<float> initial_parameters(const NetworkSpec& spec, std::uint64_t seed) {
  data::CounterRandom random(seed, kParameterStream);
  std::vector<float> parameters(spec.parameters, 0.0f);
  for (const Layer& layer : spec.layers) {
    if (layer.kind == LayerKind::conv || layer.kind == LayerKind::dense) {
      fill(part_of(parameters, layer.weights), layer.fan_in(), random);
    } else if (layer.kind == LayerKind::batchnorm) {
      std::ranges::fill(part_of(parameters, layer.weights), 1.0f);
    }
  }
  return parameters;
}

std::vector<float> initial_state(const NetworkSpec& spec) {
  std::vector<float> state(spec.state, 0.0f);
  for (const Layer& layer : spec.layers) std::ranges::fill(part_of(state, layer.variance), 1.0f);
  return state;
}

}  // namespace tut::ch16
