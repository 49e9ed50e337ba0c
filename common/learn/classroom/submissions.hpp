/// \file
/// What students handed in, as it is taken in: the text of the assigned exercises' files, and a
/// line for everything that cannot be used. Nothing of it is written anywhere, least of all under
/// a name that it brings along.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/manifest.hpp"

namespace tut::learn {

struct IntakeLimits {
  std::size_t entries = 10000;                         ///< of one student
  std::size_t file_bytes = std::size_t{1} << 20;       ///< of an exercise's file
  std::size_t total_bytes = std::size_t{256} << 20;    ///< of an archive, unpacked
  std::size_t archive_bytes = std::size_t{128} << 20;  ///< of an archive, as it is
};

/// A student's file for one exercise: its text, or why there is none.
struct HandedIn {
  std::string text;
  std::string problem;    ///< one line; empty: the text can be used
  bool is_there = false;  ///< something of that name was handed in
};

/// One student's work.
struct Submission {
  std::string student;                    ///< printable UTF-8, different for each
  std::map<std::string, HandedIn> files;  ///< by the exercise's name, one for each assigned
  std::vector<std::string> notes;         ///< what was left out or could not be read, a line each
};

/// Something of a student's that was found, in a folder or an archive.
struct FoundEntry {
  std::string path;  ///< as it was named, within what was handed in
  std::optional<std::string> text;
  std::string problem;  ///< why there is no text
};

/// Whether a name is that of an archive that can be read: .zip, .7z, .tar, .tar.gz, .tgz ...
bool is_archive_name(std::string_view name);

/// The regular files of an archive whose last name is one of `wanted`, and what else has such a
/// name. Adds the paths of other files to `ignored`.
/// @throws UsageError in one line where the archive is damaged, or beyond the limits.
std::vector<FoundEntry> read_archive(const std::filesystem::path& file,
                                     const std::vector<std::string>& wanted,
                                     const IntakeLimits& limits, std::vector<std::string>& ignored);

/// Whether this build can read archives: it had libarchive.
bool can_read_archives();

/// Bytes as one line of text: what is not printable UTF-8 becomes \xNN.
std::string printable(std::string_view bytes);

/// A file's bytes as the text of a source; or, in `problem`, why they are none.
void judge_text(HandedIn& file, const IntakeLimits& limits);

/// Takes in what the arguments name: each a source file (its folder's name is the student's), a
/// folder of one student, an archive, or a folder whose entries are students. A folder is one
/// student's if a file of an assigned exercise lies in it, or under its exercises/.
/// @return sorted by student
/// @throws UsageError where an argument is not there, or nothing is handed in at all.
std::vector<Submission> take_in(const std::vector<std::filesystem::path>& arguments,
                                const std::vector<const Exercise*>& assigned,
                                const IntakeLimits& limits = {});

}  // namespace tut::learn
