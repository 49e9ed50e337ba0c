#pragma once

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"

namespace tut::ch14 {

/// The threads of a block: rows of 32.
struct BatchNormBlock {
  static constexpr int X = 32, Y = 8, SIZE = X * Y;
};

/// A tensor as planes of `area` elements, one for each image and channel.
struct Planes {
  int images, channels, area;

  constexpr int count() const { return images * channels; }
  constexpr std::int64_t channel_size() const { return std::int64_t{images} * area; }
  constexpr std::int64_t first(int image, int channel) const {
    return (std::int64_t{image} * channels + channel) * area;
  }
  /// Blocks with a row of threads for each plane.
  constexpr int blocks() const { return ceil_div(count(), BatchNormBlock::Y); }
};

}  // namespace tut::ch14
