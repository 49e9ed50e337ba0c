#include "findings.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace simt::inspect {
namespace {

/// More would bury the first, which is the one to mend.
constexpr std::size_t kMostPrinted = 100;

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", c);
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

void write_json(const char* path, const std::vector<Finding>& findings) {
  std::ofstream file(path);
  file << "{\"findings\": [";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = findings[i];
    file << (i == 0 ? "\n" : ",\n") << "  {\"kind\": " << json_string(name_of(f.kind))
         << ", \"file\": " << json_string(f.at.file) << ", \"line\": " << f.at.line
         << ", \"other_file\": " << json_string(f.other.file)
         << ", \"other_line\": " << f.other.line << ", \"kernel\": " << json_string(f.kernel)
         << ", \"message\": " << json_string(f.message) << ", \"cure\": " << json_string(f.cure)
         << "}";
  }
  file << (findings.empty() ? "]}\n" : "\n]}\n");
  file.close();
  if (!file) std::fprintf(stderr, "simt: cannot write SIMT_REPORT to %s\n", path);
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::race:
      return "race";
    case Kind::out_of_bounds:
      return "out-of-bounds";
    case Kind::misaligned:
      return "misaligned";
    case Kind::uninitialised:
      return "uninitialised";
    case Kind::divergent_barrier:
      return "divergent-barrier";
    case Kind::invalid_sync:
      return "invalid-sync";
    case Kind::host_access:
      return "host-access";
    case Kind::use_after_free:
      return "use-after-free";
    case Kind::leak:
      return "leak";
    case Kind::unchecked_error:
      return "unchecked-error";
  }
  return "";
}

Findings& Findings::instance() {
  // Never destroyed: it is asked when the program ends.
  static Findings& findings = *new Findings;
  return findings;
}

bool Findings::is_new(Kind kind, std::uintptr_t at, std::uintptr_t other) {
  return addresses_.insert({kind, at, other}).second;
}

void Findings::report(const Finding& finding) {
  if (!lines_.insert({finding.kind, finding.at.text(), finding.other.text()}).second) return;
  findings_.push_back(finding);
  if (findings_.size() > kMostPrinted) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: %s: %s\n", finding.at.text().c_str(), name_of(finding.kind),
               finding.message.c_str());
  if (finding.other.known()) {
    std::fprintf(stderr, "%s: note: %s\n", finding.other.text().c_str(), finding.other_is);
  }
  if (!finding.cure.empty()) {
    std::fprintf(stderr, "%s: note: %s\n", finding.at.text().c_str(), finding.cure.c_str());
  }
}

void Findings::finish() const {
  if (const char* path = std::getenv("SIMT_REPORT")) write_json(path, findings_);
  if (findings_.empty()) return;
  std::fflush(nullptr);
  std::fprintf(stderr, "simt: %zu finding%s\n", findings_.size(), findings_.size() == 1 ? "" : "s");
  std::_Exit(kFindingsStatus);
}

}  // namespace simt::inspect
