#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tut::ch16 {

/// A file that cannot be written: one line with its name and the reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that is replaced as a whole: a reader sees the old contents or the new, never a part,
/// also after a crash. What a killed program leaves is a file `NAME.tmpPID` beside it.
class AtomicFile {
 public:
  /// Makes sure that the file can be written, without touching it. Throws FileError: the folder
  /// is missing or closed, or the path is something else than a file.
  explicit AtomicFile(std::filesystem::path path);

  /// Writes the parts one after another to a file beside it, renames that, and has both the file
  /// and the folder reach the disk. Throws FileError. Where the disk is full, or writing fails in
  /// another way, the old file is untouched; if only the folder does not reach the disk, the file
  /// is the old or the new one.
  void write(std::span<const std::string_view> parts) const;
  void write(std::string_view contents) const { write({&contents, 1}); }

 private:
  std::filesystem::path path_, temporary_;
};

}  // namespace tut::ch16
