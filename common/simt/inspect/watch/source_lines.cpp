#include "source_lines.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

namespace simt::inspect {
namespace {

struct PipeClose {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, PipeClose> pipe(popen(command.c_str(), "r"));
  std::string text;
  if (!pipe) return text;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe.get())) {
    text.append(buffer, count);
  }
  return text;
}

/// `FILE:LINE` or `FILE:LINE (discriminator 3)`.
SourceLine parse(const std::string& text) {
  const std::size_t colon = text.rfind(':', text.find(" ("));
  if (colon == std::string::npos || text.starts_with("??")) return {};
  return {text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
}

bool is_backend_file(const std::string& file) { return file.starts_with(SIMT_INCLUDE_FOLDER); }

bool is_own(const SourceLine& line) {
  return line.known() && !is_backend_file(line.file) && !line.file.starts_with("/usr/");
}

/// What is known of one instruction.
struct Site {
  SourceLine line;
  bool backend = false;
};

Site look_up(std::uintptr_t return_address) {
  const std::uintptr_t address = return_address - 1;  // within the call
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr) return {};
  char place[32];
  std::snprintf(
      place, sizeof(place), "0x%zx",
      static_cast<std::size_t>(address - reinterpret_cast<std::uintptr_t>(info.dli_fbase)));
  const std::string program = *info.dli_fname == '/' ? info.dli_fname : "/proc/self/exe";
  // The shell is another process: /proc/self would be its own.
  const std::string file =
      program == "/proc/self/exe" ? "/proc/" + std::to_string(getpid()) + "/exe" : program;
  std::istringstream lines(
      output_of("addr2line -i -e " + quoted(file) + " " + place + " 2>/dev/null"));
  Site site;
  bool innermost = true;
  for (std::string text; std::getline(lines, text); innermost = false) {
    const SourceLine line = parse(text);
    if (innermost) site.backend = is_backend_file(line.file);
    if (is_own(line)) {
      site.line = line;
      break;
    }
  }
  return site;
}

const Site& site_at(std::uintptr_t return_address) {
  static std::map<std::uintptr_t, Site>& known = *new std::map<std::uintptr_t, Site>;
  const auto found = known.find(return_address);
  if (found != known.end()) return found->second;
  return known.emplace(return_address, look_up(return_address)).first->second;
}

}  // namespace

std::string SourceLine::text() const {
  return known() ? file + ":" + std::to_string(line) : std::string("unknown");
}

const SourceLine& source_line(std::uintptr_t return_address) {
  return site_at(return_address).line;
}

bool is_backend_code(std::uintptr_t return_address) { return site_at(return_address).backend; }

}  // namespace simt::inspect
