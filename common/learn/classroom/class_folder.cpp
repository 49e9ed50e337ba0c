#include "learn/classroom/class_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "learn/classroom/submissions.hpp"
#include "learn/core/error.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// Five at most, sorted.
std::string shown(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  const std::size_t all = paths.size();
  if (all > 5) paths.resize(5);
  for (std::string& path : paths) {
    path = "'" + printable(path.substr(0, 120)) + (path.size() > 120 ? "...'" : "'");
  }
  return fmt::format("{}{}", fmt::join(paths, ", "),
                     all > 5 ? fmt::format(" and {} more", all - 5) : "");
}

}  // namespace

bool is_left_by_a_system(std::string_view name) {
  return name.starts_with('.') || name == "__MACOSX" || name == "Thumbs.db" ||
         name == "desktop.ini";
}

ClassFolder read_class_folder(const fs::path& folder, std::size_t most) {
  ClassFolder inside;
  std::error_code error;
  fs::directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    if (inside.students.size() + inside.others.size() == most) {
      throw UsageError(
          fmt::format("'{}' has more than {} entries", printable(folder.string()), most));
    }
    const fs::path path = it->path();
    const std::string name = path.filename().string();
    std::error_code ignored;
    const bool is_student = fs::is_directory(path, ignored) || is_archive_name(name) ||
                            is_unreadable_archive_name(name);
    if (is_student && !is_left_by_a_system(name)) {
      inside.students.push_back(path);
    } else {
      inside.others.push_back(name);
    }
  }
  if (error) {
    throw UsageError(
        fmt::format("cannot read '{}': {}", printable(folder.string()), error.message()));
  }
  std::ranges::sort(inside.students);
  return inside;
}

std::string left_out_text(const std::vector<std::string>& names) {
  std::vector<std::string> systems, others;
  for (const std::string& name : names) {
    (is_left_by_a_system(name) ? systems : others).push_back(name);
  }
  std::vector<std::string> parts;
  if (!others.empty()) parts.push_back(shown(others) + " (neither a folder nor an archive)");
  if (!systems.empty()) parts.push_back(shown(systems) + " (hidden, or made by a system)");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string ignored_text(std::vector<std::string> paths) {
  return "ignored: " + shown(std::move(paths));
}

}  // namespace tut::learn
