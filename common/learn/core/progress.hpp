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
  int hints = 0;                         ///< hints shown so far
  bool gave_up = false;                  ///< the solution was shown before the check had passed
  std::set<std::string> passed_on = {};  ///< backends ("cpu", "cuda") on which the check has passed
  std::string passed_file = {};          ///< file_mark of the file as it passed; empty: not noted
  std::string passed_since = {};  ///< the day, in UTC, when that file first passed: 2027-02-12
  std::string failed_file = {};   ///< file_mark of the file as it last failed; empty: it has not

  bool passed() const { return !passed_on.empty(); }
  bool operator==(const Record&) const = default;
};

/// What is kept of a file to see later whether it is the same: 16 hexadecimal digits.
std::string file_mark(std::string_view text);

/// The same of the file as it is; empty where it cannot be read.
std::string file_mark_of(const std::filesystem::path& file);

/// How a learner's file stands to the checks that there have been.
enum class Standard {
  never_checked,  ///< no check has been noted
  passed,         ///< it has passed as it is
  passed_before,  ///< it has passed, and nothing was noted of the file (by an older learn)
  edited,         ///< another text has passed or failed: not checked since the last edit
  failed,         ///< it has failed as it is
};
/// @param mark file_mark of the file as it is
Standard standard_of(const Record& record, std::string_view mark);

/// Notes a check of a file.
/// @param mark file_mark of the text that was checked; empty where it was edited meanwhile
/// @param today the day in UTC: 2027-02-12
void note_pass(Record& record, const std::string& backend, const std::string& mark,
               const std::string& today);
void note_failure(Record& record, const std::string& mark);

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
