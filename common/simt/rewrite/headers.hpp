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

/// Messages about headers of a CUDA toolkit that came in because the CPU backend, whose own headers
/// are in `include_folder`, has none of that name. They cannot work here.
std::vector<std::string> find_toolkit_headers(const std::vector<EnteredFile>& files,
                                              const std::string& include_folder);

}  // namespace simt::rewrite
