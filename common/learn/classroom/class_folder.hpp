/// \file
/// What lies in the folder of a class: students, and what is none.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tut::learn {

struct ClassFolder {
  std::vector<std::filesystem::path> students;  ///< its folders and archives
  std::vector<std::string> others;              ///< the names of other entries
};

/// Sorts a folder's entries.
/// @throws UsageError where the folder cannot be read, or has more than `most` entries
ClassFolder read_class_folder(const std::filesystem::path& folder, std::size_t most);

/// The names of entries that are no students, with why: what an operating system has made, and what
/// is neither a folder nor an archive.
std::string left_out_text(const std::vector<std::string>& names);

/// What of a student's was not looked at: "ignored: 'notes.txt', ...".
std::string ignored_text(std::vector<std::string> paths);

}  // namespace tut::learn
