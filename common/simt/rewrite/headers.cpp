#include "headers.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace simt::rewrite {
namespace {

namespace fs = std::filesystem;

struct Marker {
  unsigned line = 0;
  std::string name;
  std::string_view flags;
};

bool is_marker(std::string_view line) {
  return line.size() > 2 && line.starts_with("# ") &&
         std::isdigit(static_cast<unsigned char>(line[2])) != 0;
}

Marker read_marker(std::string_view line) {
  Marker marker;
  marker.line =
      static_cast<unsigned>(std::strtoul(std::string(line.substr(2, 12)).c_str(), nullptr, 10));
  const std::size_t open = line.find('"');
  const std::size_t close = line.rfind('"');
  if (open != std::string_view::npos && open < close) {
    marker.name = line.substr(open + 1, close - open - 1);
    marker.flags = line.substr(close + 1);
  }
  return marker;
}

/// Is this a folder of CUDA's headers?
bool is_toolkit(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "cuda_runtime_api.h", error) &&
         fs::exists(folder / "driver_types.h", error);
}

}  // namespace

std::vector<EnteredFile> entered_files(std::string_view preprocessed) {
  std::vector<EnteredFile> files;
  std::string current;
  unsigned line_number = 0;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    at = end + 1;
    if (!is_marker(line)) {
      ++line_number;
      continue;
    }
    Marker marker = read_marker(line);
    const bool system = marker.flags.find('3') != std::string_view::npos;
    const bool enters = marker.flags.find('1') != std::string_view::npos;
    if (enters || files.empty()) files.push_back({marker.name, system, current, line_number});
    line_number = marker.line;
    current = std::move(marker.name);
  }
  return files;
}

std::vector<std::string> find_toolkit_headers(const std::vector<EnteredFile>& files,
                                              const std::string& include_folder) {
  std::vector<std::string> errors;
  std::map<fs::path, bool> foreign;
  std::error_code error;
  for (const EnteredFile& file : files) {
    const fs::path folder = fs::path(file.name).parent_path();
    auto known = foreign.find(folder);
    if (known == foreign.end()) {
      const bool ours = fs::equivalent(folder, include_folder, error);
      known = foreign.emplace(folder, !ours && is_toolkit(folder)).first;
    }
    if (!known->second) continue;
    const fs::path from = fs::path(file.from).parent_path();
    if (foreign.count(from) != 0 && foreign[from]) continue;  // its own headers' headers
    errors.push_back(file.from + ':' + std::to_string(file.from_line) + ": error: <" +
                     fs::path(file.name).filename().string() +
                     "> is not supported on the CPU backend (found only in " + folder.string() +
                     ')');
  }
  return errors;
}

}  // namespace simt::rewrite
