/// \file
/// The files that a preprocessed text entered, by its line markers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace simt::rewrite {

/// One `#include` that was followed.
struct EnteredFile {
  std::string name;
  bool system = false;
  std::string from;  ///< the file with the #include; empty for the source itself
  unsigned from_line = 0;
};

std::vector<EnteredFile> entered_files(std::string_view preprocessed);

/// Is this the folder of a CUDA toolkit's headers, and of nothing else?
bool is_toolkit_folder(const std::string& folder);

/// The library or part of CUDA that a header belongs to which the CPU backend has none of, by the
/// name that an `#include` gives it; empty if it is no such header.
std::string_view unsupported_library(std::string_view header);

/// Says that a header is not supported.
std::string unsupported_header(std::string_view place, std::string_view name,
                               std::string_view library);

/// A header of CUDA's that the CPU backend has none of.
struct MissingHeader {
  std::string name;  ///< as `#include` has it
  std::string text;  ///< the line that is said of it
};

/// Headers of a CUDA toolkit that came in because the CPU backend, whose own headers are in
/// `include_folder`, has none of that name. They cannot work here.
std::vector<MissingHeader> find_toolkit_headers(const std::vector<EnteredFile>& files,
                                                const std::string& include_folder);

}  // namespace simt::rewrite
