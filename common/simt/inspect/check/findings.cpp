#include "findings.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "interface.hpp"
#include "report_file.hpp"
#include "simt/debugger.hpp"

namespace simt::inspect {
namespace {

/// More would bury the first, which is the one to mend.
constexpr std::size_t kMostPrinted = 100;

std::string json_text(const std::vector<Finding>& findings) {
  std::string text = "{\"compiler\": " + json_quoted(compiler_version()) + ",\n\"findings\": [";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = findings[i];
    text += (i == 0 ? "\n" : ",\n") + ("  {\"kind\": " + json_quoted(name_of(f.kind))) +
            ", \"file\": " + json_quoted(f.at.file) + ", \"line\": " + std::to_string(f.at.line) +
            ", \"other_file\": " + json_quoted(f.other.file) +
            ", \"other_line\": " + std::to_string(f.other.line) +
            ", \"kernel\": " + json_quoted(f.kernel) + ", \"message\": " + json_quoted(f.message) +
            ", \"cure\": " + json_quoted(f.cure) + "}";
  }
  return text + (findings.empty() ? "]}\n" : "\n]}\n");
}

void print_calls(const SourceLine& line) {
  for (const std::string& caller : line.callers) {
    std::fprintf(stderr, "%s: note: called from here\n", caller.c_str());
  }
}

void print_note(const SourceLine& line, const char* note) {
  if (!line.known()) return;
  std::fprintf(stderr, "%s: note: %s\n", line.text().c_str(), note);
  print_calls(line);
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
    case Kind::overflow:
      return "overflow";
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

void Findings::keep_failure(Finding finding) {
  if (!failure_) failure_ = std::move(finding);
}

void Findings::tell_failure() {
  if (!failure_) return;
  const Finding failure = *std::exchange(failure_, std::nullopt);
  report(failure, false);
}

void Findings::report(const Finding& finding, bool is_here) {
  const bool follows = finding.kind == Kind::race || finding.kind == Kind::uninitialised;
  if (follows && (doubted_.contains(finding.at.text()) || doubted_.contains(finding.other.text())))
    return;
  if (!lines_.insert({finding.kind, finding.at.text(), finding.other.text()}).second) return;
  tell_failure();
  findings_.push_back(finding);
  if (findings_.size() > kMostPrinted) return;
  std::fflush(stdout);
  const std::string line =
      finding.at.text() + ": error: " + name_of(finding.kind) + ": " + finding.message;
  std::fprintf(stderr, "%s\n", line.c_str());
  print_calls(finding.at);
  print_note(finding.other, finding.other_is);
  print_note(finding.arrival, "the arrival that the copy waited for");
  if (!finding.cure.empty()) {
    std::fprintf(stderr, "%s: note: %s\n", finding.at.text().c_str(), finding.cure.c_str());
  }
  if (!case_.empty()) {
    std::fprintf(stderr, "%s: note: seen with %s\n", finding.at.text().c_str(), case_.c_str());
  }
  if (is_here && simt_found != nullptr) simt_found(line.c_str());
}

void Findings::finish() const {
  if (const char* path = report_path()) write_report(path, json_text(findings_));
  if (findings_.empty()) return;
  std::fflush(nullptr);
  std::fprintf(stderr, "simt: %zu finding%s\n", findings_.size(), findings_.size() == 1 ? "" : "s");
  std::_Exit(kFindingsStatus);
}

}  // namespace simt::inspect

int simt_check_findings() { return static_cast<int>(simt::inspect::Findings::instance().count()); }

void simt_check_case(const char* text) { simt::inspect::Findings::instance().set_case(text); }
