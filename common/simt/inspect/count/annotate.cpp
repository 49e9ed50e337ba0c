#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "report.hpp"

namespace simt::inspect {
namespace {

/// `ld 4.0 st 32.0`: sectors of a request in global memory, wavefronts in shared memory.
std::string figures(const TrafficCounts& counts, bool shared) {
  static constexpr const char* short_names[] = {"ld", "st", "at"};
  std::string text;
  for (std::size_t i = 0; i < kTrafficKinds; ++i) {
    const Counts& c = counts[i];
    if (is_shared(static_cast<Traffic>(i)) != shared || c.requests == 0) continue;
    char figure[32];
    std::snprintf(figure, sizeof(figure), "%s%s %.1f", text.empty() ? "" : " ", short_names[i % 3],
                  c.each(shared ? c.wavefronts : c.sectors));
    text += figure;
  }
  return text;
}

std::string margin(const TrafficCounts* counts) {
  std::uint64_t requests = 0;
  if (counts != nullptr) {
    for (const Counts& c : *counts) requests = std::max(requests, c.requests);
  }
  char text[80];
  if (requests == 0) {
    std::snprintf(text, sizeof(text), "%10s %-14s %-14s | ", "", "", "");
  } else {
    std::snprintf(text, sizeof(text), "%10llu %-14s %-14s | ",
                  static_cast<unsigned long long>(requests), figures(*counts, false).c_str(),
                  figures(*counts, true).c_str());
  }
  return text;
}

std::vector<std::string> read_lines(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The line on which the braces that open from line `begin` on are closed again.
int end_of_body(const std::vector<std::string>& lines, int begin) {
  int depth = 0;
  bool opened = false;
  for (std::size_t i = static_cast<std::size_t>(begin) - 1; i < lines.size(); ++i) {
    const std::string code = lines[i].substr(0, lines[i].find("//"));
    for (const char c : code) {
      if (c == '{') ++depth;
      if (c == '}') --depth;
      opened |= c == '{';
    }
    if (opened && depth <= 0) return static_cast<int>(i) + 1;
  }
  return begin;
}

/// Lines `begin` to `end` of a file.
std::string listing(const std::vector<std::string>& source, int begin, int end,
                    const std::map<int, const TrafficCounts*>& counted) {
  std::string text;
  for (int i = begin; i <= std::min(end, static_cast<int>(source.size())); ++i) {
    const auto found = counted.find(i);
    text += margin(found == counted.end() ? nullptr : found->second) +
            source[static_cast<std::size_t>(i) - 1] + "\n";
  }
  return text;
}

std::string annotated_source(const KernelProfile& kernel, const Instructions& instructions) {
  struct File {
    bool has_kernel = false;
    std::map<int, const TrafficCounts*> counted;  // by line
  };
  std::map<std::string, File> files;
  const std::vector<LineCounts> lines = lines_of(kernel, instructions);
  for (const LineCounts& line : lines) {
    files[line.line.file].has_kernel = line.in_kernel_file;
    files[line.line.file].counted[line.line.line] = &line.counts;
  }
  std::string text;
  for (const auto& [name, file] : files) {
    const std::vector<std::string> source = read_lines(name);
    if (source.empty()) continue;
    int begin = file.counted.begin()->first;
    int end = file.counted.rbegin()->first;
    if (file.has_kernel) {
      begin = std::min(begin, kernel.source.line);
      end = std::max(end, end_of_body(source, kernel.source.line));
    }
    char head[80];
    std::snprintf(head, sizeof(head), "%10s %-14s %-14s |\n", "requests", "global sectors",
                  "shared wavefr.");
    text += kernel.name + ": " + name + "\n" + head + listing(source, begin, end, file.counted);
  }
  return text;
}

}  // namespace

std::string annotated_text(const Profile& profile, const Instructions& instructions) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels()) {
    const std::string source = annotated_source(kernel, instructions);
    if (!source.empty()) text += (text.empty() ? "" : "\n") + source;
  }
  return text;
}

}  // namespace simt::inspect
