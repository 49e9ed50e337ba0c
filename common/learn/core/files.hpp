#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tut::learn {

/// The whole file, or nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// The text with paths from `root`: without what leads to it, be it its own path or the "../" of a
/// path from a folder in it.
std::string with_paths_from(const std::filesystem::path& root, std::string text);

/// Replaces the file in one step: readers see the old content or the new, never a part.
/// Makes the folder when it is missing.
/// @throws UsageError naming the file and the reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Copies the file to NAME.TIMESTAMP.bak beside it and returns where that is.
/// @throws UsageError when it cannot be written.
std::filesystem::path keep_aside(const std::filesystem::path& file);

/// Makes sure that files can be made in a folder, where it is there.
/// @throws UsageError in one line that names the folder and the reason.
void require_writable_folder(const std::filesystem::path& folder);

/// Makes sure that a file can be written, where it is there.
/// @throws UsageError in one line that names the file and the reason.
void require_writable_file(const std::filesystem::path& file);

/// Holds an exclusive lock on a file while it lives; waits for the lock. Where the file system
/// has no locks, or the file cannot be opened, it holds nothing.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

}  // namespace tut::learn
