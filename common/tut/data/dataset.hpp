#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// Labelled images: MNIST's files, the drawn digits, and the choice between them.
namespace tut::data {

/// A data file or folder that cannot be used. The message is one line: the file, what was expected
/// and what was found.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Grey images of one size, each with a label.
struct Dataset {
  std::vector<std::uint8_t> images;  ///< (size(), rows, cols), row-major; 0 is background
  std::vector<std::uint8_t> labels;  ///< (size()), each below `classes`
  int rows = 0;
  int cols = 0;
  int classes = 0;

  std::size_t size() const { return labels.size(); }
  std::size_t image_size() const { return static_cast<std::size_t>(rows) * cols; }
  std::span<const std::uint8_t> image(std::size_t index) const {
    return {images.data() + index * image_size(), image_size()};
  }
};

/// What a model learns from, and what it is judged on.
struct Split {
  Dataset train;
  Dataset test;
};

/// What tells data from others, wherever they come from: how many images there are, and a CRC-32 of
/// all pixels and labels. "60000 + 10000 images, checksum 0c36ee1f"
std::string identity(const Split& sets);

}  // namespace tut::data
