#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// What has happened to one exercise.
struct Record {
  int hints = 0;                    ///< hints shown so far
  bool gave_up = false;             ///< the solution was shown before the check had passed
  std::set<std::string> passed_on;  ///< backends ("cpu", "cuda") on which the check has passed

  bool passed() const { return !passed_on.empty(); }
  bool operator==(const Record&) const = default;
};

/// The progress file: a record for each exercise name, and the comments that were in it.
struct Progress {
  std::map<std::string, Record> records;
  std::vector<std::string> comments;    ///< comment lines other than the file's own heading
  std::vector<std::string> complaints;  ///< one line for each thing that is damaged

  Record at(const std::string& exercise) const;
};

/// Reads the text of a progress file. One that was cut within its heading has a complaint. A
/// damaged line is skipped, named in `complaints`, and kept as a comment, so that writing the file
/// again loses nothing.
Progress parse_progress(std::string_view text);

/// The text of a progress file, heading included.
std::string format_progress(const Progress& progress);

/// Where a checkout keeps its progress: ROOT/.learn/progress.
std::filesystem::path progress_file(const std::filesystem::path& root);

/// Reads the checkout's progress; a missing file is an empty one, and one that cannot be read has
/// a complaint.
Progress load_progress(const std::filesystem::path& root);

/// Reads, changes and writes the checkout's progress under a lock, in one step for readers.
/// @throws UsageError when it cannot be written, or is there and cannot be read.
void update_progress(const std::filesystem::path& root,
                     const std::function<void(Progress&)>& change);

}  // namespace tut::learn
