#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "16_cnn_trainer/trainer/network/network_spec.hpp"

namespace tut::test {

/// A network in double, written from the definitions of its layers: what the gradient of the real
/// one is checked against, by central differences. Nothing is dropped, and batch norm uses the
/// batch's statistics.
class DoubleNetwork {
 public:
  using Layer = ch16::Layer;
  using Images = std::vector<std::vector<double>>;

  std::vector<double> parameters;

  DoubleNetwork(ch16::NetworkSpec spec, const std::vector<float>& values)
      : parameters(values.begin(), values.end()), spec_(std::move(spec)) {}

  /// The scores of each image.
  Images scores(Images images) const {
    for (const Layer& layer : spec_.layers) images = apply(layer, images);
    return images;
  }

  /// The loss of each image.
  std::vector<double> losses(const Images& images, const std::vector<std::uint8_t>& labels) const {
    const Images all = scores(images);
    std::vector<double> losses;
    for (std::size_t n = 0; n < all.size(); ++n) {
      double total = 0;
      for (const double score : all[n]) total += std::exp(score);
      losses.push_back(std::log(total) - all[n][labels[n]]);
    }
    return losses;
  }

  /// Their mean.
  double loss(const Images& images, const std::vector<std::uint8_t>& labels) const {
    double sum = 0;
    for (const double one : losses(images, labels)) sum += one;
    return sum / static_cast<double>(images.size());
  }

 private:
  Images apply(const Layer& layer, const Images& images) const {
    if (layer.kind == ch16::LayerKind::batchnorm) return normalise(layer, images);
    Images out;
    for (const auto& image : images) out.push_back(apply_one(layer, image));
    return out;
  }

  std::vector<double> apply_one(const Layer& layer, std::vector<double> image) const {
    switch (layer.kind) {
      case ch16::LayerKind::conv:
        return convolve(layer, image);
      case ch16::LayerKind::dense:
        return multiply(layer, image);
      case ch16::LayerKind::maxpool:
        return pool(layer, image);
      case ch16::LayerKind::relu:
        for (double& value : image) value = std::max(value, 0.0);
        return image;
      case ch16::LayerKind::sigmoid:
        for (double& value : image) value = 1 / (1 + std::exp(-value));
        return image;
      default:
        return image;
    }
  }

  static double at(const std::vector<double>& image, const ch16::ImageShape& shape, int c, int y,
                   int x) {
    if (y < 0 || x < 0 || y >= shape.rows || x >= shape.cols) return 0;
    return image[(static_cast<std::size_t>(c) * shape.rows + y) * shape.cols + x];
  }

  std::vector<double> convolve(const Layer& layer, const std::vector<double>& image) const {
    std::vector<double> out;
    for (int k = 0; k < layer.outputs; ++k) {
      for (int y = 0; y < layer.out.rows; ++y) {
        for (int x = 0; x < layer.out.cols; ++x) {
          double sum = parameters[layer.bias.begin + k];
          std::size_t weight = layer.weights.begin + k * layer.fan_in();
          for (int c = 0; c < layer.in.channels; ++c) {
            for (int i = 0; i < layer.side; ++i) {
              for (int j = 0; j < layer.side; ++j) {
                sum += parameters[weight++] * at(image, layer.in, c,
                                                 y * layer.stride + i - layer.padding,
                                                 x * layer.stride + j - layer.padding);
              }
            }
          }
          out.push_back(sum);
        }
      }
    }
    return out;
  }

  std::vector<double> multiply(const Layer& layer, const std::vector<double>& image) const {
    std::vector<double> out;
    for (int j = 0; j < layer.outputs; ++j) {
      double sum = parameters[layer.bias.begin + j];
      for (std::size_t i = 0; i < image.size(); ++i) {
        sum += parameters[layer.weights.begin + j * image.size() + i] * image[i];
      }
      out.push_back(sum);
    }
    return out;
  }

  static std::vector<double> pool(const Layer& layer, const std::vector<double>& image) {
    std::vector<double> out;
    for (int c = 0; c < layer.out.channels; ++c) {
      for (int y = 0; y < layer.out.rows; ++y) {
        for (int x = 0; x < layer.out.cols; ++x) {
          double largest = at(image, layer.in, c, 2 * y, 2 * x);
          for (int i = 1; i < 4; ++i) {
            largest = std::max(largest, at(image, layer.in, c, 2 * y + i / 2, 2 * x + i % 2));
          }
          out.push_back(largest);
        }
      }
    }
    return out;
  }

  Images normalise(const Layer& layer, Images images) const {
    const std::size_t area = std::size_t{1} * layer.in.rows * layer.in.cols;
    const double count = static_cast<double>(area * images.size());
    for (int c = 0; c < layer.in.channels; ++c) {
      const auto each = [&](auto action) {
        for (auto& image : images) {
          for (std::size_t i = 0; i < area; ++i) action(image[c * area + i]);
        }
      };
      double mean = 0, variance = 0;
      each([&](double& value) { mean += value / count; });
      each([&](double& value) { variance += (value - mean) * (value - mean) / count; });
      each([&](double& value) {
        value = parameters[layer.weights.begin + c] * (value - mean) / std::sqrt(variance + 1e-5) +
                parameters[layer.bias.begin + c];
      });
    }
    return images;
  }

  ch16::NetworkSpec spec_;
};

}  // namespace tut::test
