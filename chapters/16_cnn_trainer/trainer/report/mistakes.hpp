#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tut/data/dataset.hpp"

namespace tut::ch16 {

/// A test image that the network got wrong.
struct Mistake {
  std::size_t image;  ///< its number in the set
  int label, prediction;

  friend bool operator==(const Mistake&, const Mistake&) = default;
};

/// All of them, in the set's order. Throws std::invalid_argument unless there is a prediction for
/// each image.
std::vector<Mistake> find_mistakes(const data::Dataset& set,
                                   std::span<const std::uint8_t> predictions);

/// The first 40 mistakes as a picture, in SVG, each with its label and the network's prediction;
/// the same for the same predictions. Throws std::invalid_argument unless there is a prediction for
/// each image and these have sides of at most 64 pixels.
std::string mistakes_picture(const data::Dataset& set, std::span<const std::uint8_t> predictions,
                             const std::string& title);

}  // namespace tut::ch16
