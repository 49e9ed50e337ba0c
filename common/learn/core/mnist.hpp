#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tut::learn {

/// One of MNIST's four files: its name and the SHA-256 of its unpacked content.
struct MnistFile {
  const char* name;
  const char* sha256;
};

inline constexpr std::array<MnistFile, 4> mnist_files = {{
    {"train-images-idx3-ubyte.gz",
     "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte.gz",
     "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"t10k-images-idx3-ubyte.gz",
     "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte.gz",
     "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
}};

/// Where the files belong, and where the trainer looks for them: TUT_DATA_DIR when that variable
/// names a folder, else ROOT/data/mnist.
std::filesystem::path mnist_folder(const std::filesystem::path& root);

/// The content of a gzip file, or of a plain one; nothing when it cannot be read to its end.
std::optional<std::string> unpack(const std::filesystem::path& file);

/// What is wrong with a file as MNIST's `expected`, e.g. "its content is not MNIST's"; empty when
/// nothing is.
std::string mnist_fault(const std::filesystem::path& file, const MnistFile& expected);

/// Whether all four files are there and sound.
bool mnist_present(const std::filesystem::path& folder);

}  // namespace tut::learn
