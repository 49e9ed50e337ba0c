/// \file
/// Archives that are the same bytes for the same files: no times, no owners, in order of names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tut::learn {

struct PackedFile {
  std::string name;  ///< its path in the archive
  std::string content;
  bool executable = false;
};

/// Makes sure that an archive can be named so: FILE.tar.gz, FILE.tgz or FILE.zip, in a folder.
/// @throws UsageError in one line
void require_archive_name(const std::filesystem::path& file);

/// The bytes of the archive. What kind it is follows from the name of `file`, which is not written.
/// @throws UsageError where tar, gzip or zip is missing or fails
std::string pack(const std::vector<PackedFile>& files, const std::filesystem::path& file);

/// What became of a file that was there before: "", "the same as before", or where it is kept.
std::string write_archive(const std::filesystem::path& file, const std::string& bytes);

}  // namespace tut::learn
