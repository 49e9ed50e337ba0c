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
  std::string archive;  ///< the archive that it was found in; empty: it lay in a folder
};

/// All that was handed in.
struct Intake {
  std::vector<Submission> students;  ///< sorted by their names
  std::vector<std::string> notes;    ///< how folders were understood, and what was left out of them
};

/// Whether a name is that of an archive that can be read: .zip, .7z, .tar, .tar.gz, .tgz ...
bool is_archive_name(std::string_view name);

/// Whether a name is that of an archive of a kind that is not read: .rar ...
bool is_unreadable_archive_name(std::string_view name);

/// The name of an archive without its endings: ann for ann.tar.gz and for ann.tar.gz.zip.
std::string without_archive_endings(std::string name);

/// Whether it is a file or folder that operating systems and tools leave behind: a hidden one,
/// __MACOSX, Thumbs.db, desktop.ini.
bool is_left_by_a_system(std::string_view name);

/// Whether a path leads through a folder given/, which holds what everybody was given.
bool is_given(std::string_view path);

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

/// What a program printed, whatever it is, as lines of text for files and terminals.
std::string printable_lines(std::string_view text);

/// A file's bytes as the text of a source; or, in `problem`, why they are none.
void judge_text(HandedIn& file, const IntakeLimits& limits);

/// Chooses a student's file for an exercise. Files with the same text count as one, and what lies
/// in given/ is no answer. Of files that differ, the one at exercises/NN_chapter/NAME is taken, if
/// there is just one of these; `notes` then says which was taken and which were left out.
HandedIn choose_file(const Exercise& exercise, const std::vector<FoundEntry>& found,
                     const IntakeLimits& limits, std::vector<std::string>& notes);

/// Takes in what the arguments name: source files (the student is named as the file's folder),
/// archives and folders. A folder is one student's or a class:
///
/// - It is one student's if a file of an assigned exercise lies at its place in it, as
///   exercises/NN_chapter/NAME or NN_chapter/NAME.
/// - It is one student's if such a file lies directly in it, unless two or more of its folders and
///   archives hold such files as well: then it is a class, and the file belongs to nobody.
/// - Otherwise it is a class if it has a folder or an archive in it. Beside other arguments it
/// takes
///   two of these: with one, it is a student's.
/// - A folder without any of this is a student who handed in nothing if there are other arguments;
///   as the only argument it is an error.
///
/// Each folder and each archive of a class is a student, an empty folder as well. Other files of a
/// class, and what operating systems leave, are no students; the notes name them.
/// @throws UsageError where an argument is not there, or nothing is handed in at all.
Intake take_in(const std::vector<std::filesystem::path>& arguments,
               const std::vector<const Exercise*>& assigned, const IntakeLimits& limits = {});

}  // namespace tut::learn
