#include "learn/classroom/submissions.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "learn/core/error.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// Bytes of the character that a text begins with, if that is printable UTF-8; else 0.
std::size_t printable_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return 0;
    code = (code << 6) | (at(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool no_character =
      code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) || (code >= 0x80 && code < 0xA0) ||
      (code >= 0x200E && code <= 0x200F) ||  // these turn the line round
      (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return overlong || no_character ? 0 : length;
}

std::size_t first_bad_byte(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      ++i;
      continue;
    }
    // What turns a line round is text, if no name: it is judged as what it is not to be shown as.
    const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
    if (length == 0 || c > 0xF4 || i + length > text.size()) return i;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0U) != 0x80) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

/// Reads a regular file, following no link, waiting for nothing.
FoundEntry read_entry(const fs::path& file, std::string path, const IntakeLimits& limits) {
  FoundEntry entry{std::move(path), std::nullopt, ""};
  const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    entry.problem = errno == ELOOP ? "it is a link; expected a regular file"
                                   : fmt::format("it cannot be read: {}", std::strerror(errno));
    return entry;
  }
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    entry.problem = "it is no regular file";
  } else if (static_cast<std::size_t>(status.st_size) > limits.file_bytes) {
    entry.problem =
        fmt::format("it has {} bytes; expected {} at most", status.st_size, limits.file_bytes);
  } else {
    std::string text(limits.file_bytes + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      const ssize_t count = read(descriptor, text.data() + size, text.size() - size);
      if (count <= 0) break;
      size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    entry.text = std::move(text);
  }
  close(descriptor);
  return entry;
}

/// All that was found of one student.
struct Work {
  std::vector<FoundEntry> found;
  std::vector<std::string> ignored, notes;
};

class Intake {
 public:
  Intake(const std::vector<const Exercise*>& assigned, const IntakeLimits& limits)
      : assigned_(assigned), limits_(limits) {
    for (const Exercise* exercise : assigned) wanted_.push_back(exercise->file.filename().string());
  }

  bool is_wanted(const fs::path& path) const {
    return std::ranges::find(wanted_, path.filename().string()) != wanted_.end();
  }

  /// One student's folder: an assigned file lies in it, or under its exercises/.
  bool is_of_one(const fs::path& folder) const {
    std::error_code error;
    return std::ranges::any_of(assigned_, [&](const Exercise* exercise) {
      return fs::exists(fs::symlink_status(folder / exercise->file.filename(), error)) ||
             fs::exists(fs::symlink_status(folder / exercise->place(), error));
    });
  }

  void add_argument(const fs::path& argument) {
    std::error_code error;
    const fs::path path = fs::absolute(argument).lexically_normal();
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      throw UsageError(
          fmt::format("'{}' is not there; expected a source file, a folder or an "
                      "archive of what was handed in",
                      printable(argument.string())));
    }
    const fs::path plain = path.has_filename() ? path : path.parent_path();
    if (!fs::is_directory(status)) {
      const bool source = !is_archive_name(plain.filename().string());
      add_entry(source ? plain.parent_path().filename().string() : name_without_ending(plain),
                plain);
    } else if (is_of_one(plain) || fs::is_empty(plain, error)) {
      add_entry(plain.filename().string(), plain);
    } else {
      add_class(plain);
    }
  }

  std::vector<Submission> finish() {
    std::vector<Submission> all;
    std::set<std::string> names;
    for (auto& [student, work] : work_) {
      Submission one;
      one.student = printable(student);
      while (!names.insert(one.student).second) one.student += "_";
      for (const Exercise* exercise : assigned_)
        one.files[exercise->name] = choose(*exercise, work);
      one.notes = std::move(work.notes);
      if (!work.ignored.empty()) one.notes.push_back(ignored_text(std::move(work.ignored)));
      all.push_back(std::move(one));
    }
    std::ranges::sort(all, {}, &Submission::student);
    return all;
  }

 private:
  static std::string name_without_ending(const fs::path& archive) {
    std::string name = archive.filename().string();
    for (const char* ending : {".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"}) {
      if (name.ends_with(ending)) return name.substr(0, name.size() - std::strlen(ending));
    }
    return archive.stem().string();
  }

  /// A folder whose entries are students.
  void add_class(const fs::path& folder) {
    std::error_code error;
    std::size_t count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (++count > limits_.entries) {
        throw UsageError(fmt::format("'{}' has more than {} entries", printable(folder.string()),
                                     limits_.entries));
      }
      const std::string name = entry.path().filename().string();
      if (name.starts_with('.')) continue;  // .DS_Store and the like
      const bool archive = is_archive_name(name) && !entry.is_directory(error);
      add_entry(archive ? name_without_ending(entry.path()) : name, entry.path());
    }
    if (error) {
      throw UsageError(
          fmt::format("cannot read '{}': {}", printable(folder.string()), error.message()));
    }
  }

  void add_entry(const std::string& student, const fs::path& path) {
    Work& work = work_[student.empty() ? "." : student];
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::is_directory(status)) {
      add_folder(work, path);
    } else if (is_wanted(path)) {
      work.found.push_back(read_entry(path, path.filename().string(), limits_));
    } else if (is_archive_name(path.filename().string()) && fs::is_regular_file(status)) {
      add_archive(work, path, path.filename().string());
    } else {
      work.ignored.push_back(path.filename().string());
    }
  }

  void add_folder(Work& work, const fs::path& folder) const {
    std::error_code error;
    std::size_t entries = 0;
    fs::recursive_directory_iterator it(folder, error), end;
    for (; !error && it != end; it.increment(error)) {
      if (++entries > limits_.entries) {
        work.found.clear();
        work.ignored.clear();
        work.notes.push_back(
            fmt::format("the folder has more than {} entries: none is taken", limits_.entries));
        return;
      }
      const std::string path = it->path().lexically_relative(folder).string();
      const bool is_folder = it->is_directory(error) && !it->is_symlink(error);
      error.clear();
      if (is_wanted(it->path())) {
        work.found.push_back(read_entry(it->path(), path, limits_));
      } else if (!is_folder && is_archive_name(path) && it->is_regular_file(error)) {
        add_archive(work, it->path(), path);
      } else if (!is_folder) {
        work.ignored.push_back(path);
      }
    }
    if (error) work.notes.push_back("not all of the folder can be read: " + error.message());
  }

  void add_archive(Work& work, const fs::path& file, const std::string& path) const {
    try {
      std::vector<std::string> ignored;
      for (FoundEntry& entry : read_archive(file, wanted_, limits_, ignored)) {
        work.found.push_back(std::move(entry));
      }
      work.ignored.insert(work.ignored.end(), ignored.begin(), ignored.end());
    } catch (const UsageError& error) {
      if (!can_read_archives()) throw;
      work.notes.push_back(fmt::format("{}: {}", printable(path), error.what()));
    }
  }

  /// Of several files of an exercise's name, the one that lies where the exercise does.
  HandedIn choose(const Exercise& exercise, const Work& work) const {
    const std::string name = exercise.file.filename().string();
    const std::string place = "/" + exercise.place().string();
    std::vector<const FoundEntry*> candidates, placed;
    for (const FoundEntry& entry : work.found) {
      if (fs::path(entry.path).filename() != name) continue;
      candidates.push_back(&entry);
      if (("/" + entry.path).ends_with(place)) placed.push_back(&entry);
    }
    if (placed.size() == 1) candidates = placed;
    HandedIn result;
    result.is_there = !candidates.empty();
    if (candidates.empty()) {
      result.problem = fmt::format("{}: not handed in", name);
      for (const std::string& note : work.notes) result.problem += "; " + note;
    } else if (candidates.size() > 1) {
      std::vector<std::string> paths;
      for (const FoundEntry* one : candidates) paths.push_back("'" + printable(one->path) + "'");
      std::ranges::sort(paths);
      const std::size_t all = paths.size();
      if (all > 3) paths.resize(3);
      result.problem = fmt::format("{}: {} files of this name ({}{}); expected one", name, all,
                                   fmt::join(paths, ", "), all > 3 ? ", ..." : "");
    } else if (const FoundEntry& one = *candidates.front(); !one.text) {
      result.problem = fmt::format("{}: {}", printable(one.path), one.problem);
    } else {
      result.text = *one.text;
      judge_text(result, limits_);
      if (!result.problem.empty()) result.problem = printable(one.path) + ": " + result.problem;
    }
    return result;
  }

  static std::string ignored_text(std::vector<std::string> paths) {
    std::ranges::sort(paths);
    const std::size_t all = paths.size();
    if (all > 5) paths.resize(5);
    std::vector<std::string> shown;
    for (const std::string& path : paths) {
      shown.push_back("'" + printable(path.substr(0, 120)) + (path.size() > 120 ? "...'" : "'"));
    }
    return fmt::format("ignored: {}{}", fmt::join(shown, ", "),
                       all > 5 ? fmt::format(" and {} more", all - 5) : "");
  }

  const std::vector<const Exercise*>& assigned_;
  const IntakeLimits& limits_;
  std::vector<std::string> wanted_;
  std::map<std::string, Work> work_;
};

}  // namespace

std::string printable(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = printable_length(bytes);
    if (length == 0) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

void judge_text(HandedIn& file, const IntakeLimits& limits) {
  if (file.text.empty()) {
    file.problem = "it is empty";
  } else if (file.text.size() > limits.file_bytes) {
    file.problem = fmt::format("it has more than {} bytes", limits.file_bytes);
  } else if (const std::size_t nul = file.text.find('\0'); nul != std::string::npos) {
    file.problem = fmt::format("it has a NUL at byte {}; expected text in UTF-8", nul);
  } else if (const std::size_t bad = first_bad_byte(file.text); bad != std::string::npos) {
    file.problem = fmt::format("byte {} is no UTF-8; expected text in UTF-8", bad);
  }
  if (!file.problem.empty()) file.text.clear();
}

std::vector<Submission> take_in(const std::vector<fs::path>& arguments,
                                const std::vector<const Exercise*>& assigned,
                                const IntakeLimits& limits) {
  Intake intake(assigned, limits);
  for (const fs::path& argument : arguments) intake.add_argument(argument);
  std::vector<Submission> all = intake.finish();
  if (all.empty()) throw UsageError("nothing was handed in");
  return all;
}

}  // namespace tut::learn
