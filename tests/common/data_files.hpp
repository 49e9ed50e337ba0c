#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Files for the tests of the data readers.
namespace tut::test {

using Bytes = std::vector<std::uint8_t>;

/// A folder of its own, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tut-data-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and returns its path.
  std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline void append_size(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

inline Bytes idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t cols) {
  Bytes bytes{0, 0, 8, 3};
  for (const std::uint32_t size : {count, rows, cols}) append_size(bytes, size);
  for (std::uint32_t i = 0; i < count * rows * cols; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i * 37 + 11));
  }
  return bytes;
}

inline Bytes idx_labels(std::uint32_t count, std::uint32_t first = 0) {
  Bytes bytes{0, 0, 8, 1};
  append_size(bytes, count);
  for (std::uint32_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<std::uint8_t>((i + first) * 7 % 10));
  return bytes;
}

inline Bytes gzip(const Bytes& plain) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, static_cast<uLong>(plain.size())) + 32);
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Where the real MNIST is: TUT_MNIST_DIR, data/mnist, or a folder mnist beside the source tree.
inline std::optional<std::filesystem::path> real_mnist() {
  namespace fs = std::filesystem;
  if (const char* variable = std::getenv("TUT_MNIST_DIR"); variable && *variable) return variable;
  const fs::path source(TUT_SOURCE_DIR);
  if (fs::exists(source / "data" / "mnist")) return source / "data" / "mnist";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(source.parent_path(), ignored)) {
    if (fs::exists(entry.path() / "mnist" / "train-images-idx3-ubyte.gz", ignored)) {
      return entry.path() / "mnist";
    }
  }
  return std::nullopt;
}

}  // namespace tut::test
