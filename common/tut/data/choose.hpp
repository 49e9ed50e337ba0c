#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tut/data/dataset.hpp"

namespace tut::data {

/// A training set, a test set, and a line for people that says where they are from.
struct Choice {
  Split sets;
  std::string source;
};

/// The drawn digits that stand in where there is no MNIST: 20,000 to train and 4,000 to test.
Split drawn_split();

/// `data/mnist` of the source tree that this was built from: where `learn data` puts MNIST.
std::filesystem::path default_data_folder();

/// Takes the first of these that is there:
///   1. `flag`, a program's `--data`: a folder with MNIST's four files, or the word `drawn`
///   2. the environment variable TUT_DATA_DIR, the same, unless it is empty
///   3. `default_folder`, if it exists
///   4. the drawn digits
/// A folder that was asked for, or the default one if it exists, is never passed over in silence.
/// Errors: DataError if it cannot be used.
Choice choose_dataset(const std::optional<std::string>& flag,
                      const std::filesystem::path& default_folder = default_data_folder());

}  // namespace tut::data
