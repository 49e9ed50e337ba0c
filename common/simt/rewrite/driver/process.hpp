/// \file
/// Child processes, temporary files and whole-file reading, as the driver needs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt::rewrite {

/// Runs a program (found on PATH) and waits. Returns its exit code, or 128 + the signal that killed
/// it; 127 with a line on standard error when it cannot be started.
int run_process(const std::vector<std::string>& command);

/// The same, with what the program says on standard error written to a file.
int run_process(const std::vector<std::string>& command, const std::string& messages);

/// The command as one line that a shell would read the same way.
std::string shell_line(const std::vector<std::string>& command);

/// Is there a program of this name on PATH?
bool on_path(std::string_view program);

/// A file in the temporary directory that goes when the object does.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view suffix);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Throws std::runtime_error that names the file.
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view content);

}  // namespace simt::rewrite
