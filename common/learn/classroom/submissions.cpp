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

#include "learn/classroom/class_folder.hpp"
#include "learn/core/error.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// Reads a regular file, following no link, waiting for nothing.
FoundEntry read_entry(const fs::path& file, std::string path, const IntakeLimits& limits) {
  FoundEntry entry{std::move(path), std::nullopt, "", ""};
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

/// Takes in one argument after the other.
class Collector {
 public:
  Collector(const std::vector<const Exercise*>& assigned, const IntakeLimits& limits)
      : assigned_(assigned), limits_(limits) {
    for (const Exercise* exercise : assigned) wanted_.push_back(exercise->file.filename().string());
  }

  /// @param alone there is no other argument
  void add_argument(const fs::path& argument, bool alone) {
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
    const std::string name = plain.filename().string();
    if (fs::is_directory(status) && !(is_left_by_a_system(name) && !alone)) {
      add_folder_argument(plain, alone);
    } else if (is_wanted(plain)) {
      add_entry(plain.parent_path().filename().string(), plain);
    } else if (is_archive_name(name) || is_unreadable_archive_name(name)) {
      add_entry(without_archive_endings(name), plain);
    } else {
      notes_.push_back(fmt::format("left out: {}", left_out_text({name})));
    }
  }

  Intake finish() {
    Intake intake;
    std::set<std::string> names;
    for (auto& [student, work] : work_) {
      Submission one;
      one.student = printable(student);
      while (!names.insert(one.student).second) one.student += "_";
      one.notes = work.notes;
      for (const Exercise* exercise : assigned_) {
        HandedIn file = choose_file(*exercise, work.found, limits_, one.notes);
        if (!file.is_there) {
          for (const std::string& note : work.notes) file.problem += "; " + note;
        }
        one.files[exercise->name] = std::move(file);
      }
      if (!work.ignored.empty()) one.notes.push_back(ignored_text(std::move(work.ignored)));
      intake.students.push_back(std::move(one));
    }
    std::ranges::sort(intake.students, {}, &Submission::student);
    intake.notes = std::move(notes_);
    return intake;
  }

 private:
  bool is_wanted(const fs::path& path) const {
    return std::ranges::find(wanted_, path.filename().string()) != wanted_.end();
  }

  /// Whether an assigned file lies directly in a folder, or at its place in it.
  bool has_file(const fs::path& folder, bool at_its_place) const {
    std::error_code error;
    const auto is_there = [&](const fs::path& file) {
      return fs::exists(fs::symlink_status(folder / file, error));
    };
    return std::ranges::any_of(assigned_, [&](const Exercise* exercise) {
      const fs::path place = exercise->place();
      return at_its_place ? is_there(place) || is_there(place.lexically_relative("exercises"))
                          : is_there(place.filename());
    });
  }

  /// Whether a folder or archive has an assigned file in it, as a student's has.
  bool holds_work(const fs::path& path) const {
    const std::string name = path.filename().string();
    std::error_code error;
    if (fs::is_directory(fs::symlink_status(path, error))) {
      std::size_t entries = 0;
      fs::recursive_directory_iterator it(path, error), end;
      for (; !error && it != end && ++entries <= limits_.entries; it.increment(error)) {
        if (is_wanted(it->path()) && !is_given(it->path().lexically_relative(path).string())) {
          return true;
        }
      }
      return false;
    }
    // What ./learn submit makes lies beside a student's own files.
    if (!is_archive_name(name) || name.starts_with("submission.")) return false;
    try {
      std::vector<std::string> ignored;
      return !read_archive(path, wanted_, limits_, ignored).empty();
    } catch (const UsageError&) {
      return false;
    }
  }

  void add_folder_argument(const fs::path& folder, bool alone) {
    const ClassFolder inside = read_class_folder(folder, limits_.entries);
    const std::string shown = "'" + printable(folder.filename().string()) + "'";
    const bool has_own = has_file(folder, false);
    const auto full = has_own
                          ? std::ranges::count_if(inside.students,
                                                  [&](const fs::path& p) { return holds_work(p); })
                          : 0;
    const std::size_t least = alone ? 1 : 2;
    const bool is_class =
        !has_file(folder, true) && (has_own ? full >= 2 : inside.students.size() >= least);
    if (is_class) {
      add_class(inside, shown);
      if (has_own) {
        notes_.push_back(fmt::format(
            "{} is taken as a class, since {} of its folders and archives hold files of exercises; "
            "a file beside them belongs to nobody",
            shown, full));
      }
      return;
    }
    const bool has_nothing = inside.students.empty() && !has_own && !has_file(folder, true);
    if (has_nothing && alone) {
      notes_.push_back(
          fmt::format("{} has no folder, no archive and no file of an exercise", shown));
      return;
    }
    if (full > 0) {
      notes_.push_back(fmt::format(
          "{} is taken as one student's, since a file of an exercise lies in it", shown));
    }
    add_entry(folder.filename().string(), folder);
  }

  void add_class(const ClassFolder& inside, const std::string& shown) {
    for (const fs::path& path : inside.students) {
      std::error_code error;
      const std::string name = path.filename().string();
      add_entry(fs::is_directory(path, error) ? name : without_archive_endings(name), path);
    }
    if (inside.students.size() == 1) {
      notes_.push_back(fmt::format("{} is taken as a class of one student, '{}'", shown,
                                   printable(inside.students[0].filename().string())));
    }
    if (!inside.others.empty()) {
      notes_.push_back(fmt::format("left out of {}: {}", shown, left_out_text(inside.others)));
    }
  }

  void add_entry(const std::string& student, const fs::path& path) {
    Work& work = work_[student.empty() ? "." : student];
    std::error_code error;
    const std::string name = path.filename().string();
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::is_directory(status)) {
      add_folder(work, path);
    } else if (is_wanted(path)) {
      work.found.push_back(read_entry(path, name, limits_));
    } else if (is_archive_name(name) && fs::is_regular_file(status)) {
      add_archive(work, path, name);
    } else if (fs::is_symlink(status)) {
      work.notes.push_back(fmt::format("'{}' is a link, which is not followed", printable(name)));
    } else {
      note_other(work, name);
    }
  }

  /// What is no file of an exercise and no archive that can be read.
  static void note_other(Work& work, const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    if (is_unreadable_archive_name(name)) {
      work.notes.push_back(fmt::format(
          "'{}' is an archive of a kind that is not read; expected .zip, .7z or .tar.gz",
          printable(path)));
    } else if (!is_left_by_a_system(name) && !is_given(path) &&
               ("/" + path).find("/__MACOSX/") == std::string::npos) {
      work.ignored.push_back(path);
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
        note_other(work, path);
      }
    }
    if (error) work.notes.push_back("not all of the folder can be read: " + error.message());
  }

  void add_archive(Work& work, const fs::path& file, const std::string& path) const {
    try {
      std::vector<std::string> others;
      for (FoundEntry& entry : read_archive(file, wanted_, limits_, others)) {
        entry.archive = path;
        work.found.push_back(std::move(entry));
      }
      for (const std::string& other : others) note_other(work, other);
    } catch (const UsageError& error) {
      if (!can_read_archives()) throw;
      work.notes.push_back(fmt::format("{}: {}", printable(path), error.what()));
    }
  }

  const std::vector<const Exercise*>& assigned_;
  const IntakeLimits& limits_;
  std::vector<std::string> wanted_, notes_;
  std::map<std::string, Work> work_;
};

}  // namespace

Intake take_in(const std::vector<fs::path>& arguments, const std::vector<const Exercise*>& assigned,
               const IntakeLimits& limits) {
  Collector collector(assigned, limits);
  for (const fs::path& argument : arguments) {
    collector.add_argument(argument, arguments.size() == 1);
  }
  Intake intake = collector.finish();
  if (intake.students.empty()) {
    throw UsageError(fmt::format("nothing was handed in{}{}", intake.notes.empty() ? "" : ": ",
                                 fmt::join(intake.notes, "; ")));
  }
  return intake;
}

}  // namespace tut::learn
