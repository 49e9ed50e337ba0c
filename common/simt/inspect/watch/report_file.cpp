#include "report_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace simt::inspect {

std::string json_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", c);
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string compiler_version() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

const char* report_path() { return std::getenv("SIMT_REPORT"); }

void write_report(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "simt: cannot write SIMT_REPORT to %s\n", path);
}

}  // namespace simt::inspect
