// What a program says of its counters when it ends, and what it is told when it asks.
#include <cstdio>
#include <cstdlib>

#include "counter.hpp"
#include "interface.hpp"
#include "report.hpp"
#include "report_file.hpp"

namespace simt::inspect {
namespace {

bool is_on(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' && *text != '0';
}

struct AtEnd {
  ~AtEnd() {
    const Counter& counter = Counter::instance();
    if (const char* path = report_path()) {
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

void keep_reporting() {}

}  // namespace simt::inspect

extern "C" {

void simt_count_record() { simt::inspect::Counter::instance().record(); }

void simt_count_visit(void (*visit)(void* context, const simt::inspect::CountedLine& line),
                      void* context) {
  using namespace simt::inspect;
  const Counter& counter = Counter::instance();
  static constexpr TrafficCounts none{};
  for (const KernelProfile& kernel : counter.recorded().kernels()) {
    const std::vector<LineCounts> lines = lines_of(kernel, counter.instructions());
    if (lines.empty()) {
      visit(context, {kernel.name.c_str(), kernel.source.file.c_str(), kernel.source.line, "", 0,
                      true, &none});
    }
    for (const LineCounts& line : lines) {
      visit(context, {kernel.name.c_str(), kernel.source.file.c_str(), kernel.source.line,
                      line.line.file.c_str(), line.line.line, !kernel.cut, &line.counts});
    }
  }
}

}  // extern "C"
