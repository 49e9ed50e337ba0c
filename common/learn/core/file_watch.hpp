#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tut::learn {

/// Waits for one file to get new content. Uses inotify on the file's folder, so that editors which
/// write a new file and rename it are seen; polls where inotify is not to be had.
class FileWatch {
 public:
  /// @param poll poll even where inotify works
  explicit FileWatch(std::filesystem::path file, bool poll = false);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  enum class Event { changed, input, timed_out, interrupted };

  /// Waits until the content differs from what it was when last seen, until `input` has something
  /// to read (ignored when negative), or for at most `timeout_ms` (no limit when negative).
  Event wait(int timeout_ms, int input = -1);

 private:
  bool content_changed();

  std::filesystem::path file_;
  std::optional<std::string> content_;
  int inotify_ = -1;
};

}  // namespace tut::learn
