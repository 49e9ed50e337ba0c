#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tut::data {

/// The bytes of a file, unpacked on the way if it starts with gzip's magic bytes, whatever its
/// name.
class ByteReader {
 public:
  /// Opens `path`. Throws DataError if it cannot be opened or is a folder.
  explicit ByteReader(const std::filesystem::path& path);
  ~ByteReader();

  /// Fills `out` and returns how many bytes it got: fewer than asked for only at the end of the
  /// data. Throws DataError where gzip data is damaged, ends early or is followed by something
  /// else.
  std::size_t read(std::span<std::uint8_t> out);

  /// The file's name, as messages quote it.
  const std::string& name() const { return name_; }

 private:
  struct Inflater;
  void refill();
  std::size_t read_packed(std::span<std::uint8_t> out);

  std::string name_;
  std::ifstream file_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // unread bytes of the file: buffer_[begin_, end_)
  std::size_t end_ = 0;
  std::uint64_t unpacked_ = 0;
  std::unique_ptr<Inflater> inflater_;  // null for a plain file
};

}  // namespace tut::data
