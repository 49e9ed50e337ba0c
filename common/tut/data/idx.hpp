#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tut/data/dataset.hpp"

namespace tut::data {

/// The images of one IDX file.
struct IdxImages {
  std::vector<std::uint8_t> pixels;  ///< (count, rows, cols), row-major
  int count = 0;
  int rows = 0;
  int cols = 0;
};

/// Reads an IDX file of bytes in three dimensions, plain or gzip (told by its first bytes).
/// Each side of an image is 1 to 1024 pixels and the file holds at most 1 GiB of them. Memory grows
/// with the data that is there, never with what the header says.
/// Errors: DataError for anything else than exactly such a file (wrong magic, a label file, sizes
/// out of range, data that ends early or goes on, damaged gzip data). Source: the IDX format as
/// described with MNIST (LeCun, Cortes, Burges).
IdxImages load_idx_images(const std::filesystem::path& path);

/// Reads an IDX file of bytes in one dimension, plain or gzip, each byte a label from 0 to 9.
/// Errors: DataError as for load_idx_images, and for a label out of range.
std::vector<std::uint8_t> load_idx_labels(const std::filesystem::path& path);

/// Reads images and their labels (10 classes). Errors: DataError, also if the two counts differ.
Dataset load_idx(const std::filesystem::path& images, const std::filesystem::path& labels);

/// Reads the four files of MNIST from `folder`: train-images-idx3-ubyte, train-labels-idx1-ubyte,
/// t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, each plain or with .gz appended.
/// Errors: DataError if a file is missing or cannot be used, or its images are not 28 x 28.
Split load_mnist(const std::filesystem::path& folder);

}  // namespace tut::data
