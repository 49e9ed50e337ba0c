// The report of count mode, when the program ends.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "counter.hpp"
#include "report.hpp"

namespace simt::inspect {
namespace {

bool is_on(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' && *text != '0';
}

void write_report(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "simt: cannot write SIMT_REPORT to %s\n", path);
}

struct AtEnd {
  ~AtEnd() {
    const Counter& counter = Counter::instance();
    if (const char* path = std::getenv("SIMT_REPORT")) {
      write_report(path, json_text(counter.profile(), counter.instructions()));
    }
    std::string text;
    if (is_on("SIMT_ANNOTATE")) {
      text = annotated_text(counter.profile(), counter.instructions());
    } else if (!counter.was_asked()) {
      text = table_text(counter.profile(), counter.instructions());
    }
    std::fflush(stdout);
    std::fputs(text.c_str(), stderr);
  }
} at_end;

}  // namespace

void keep_report_at_exit() {}

}  // namespace simt::inspect
