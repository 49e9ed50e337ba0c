// What a program reports of its counters when it ends, and the answers when it asks for them.
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

/// Where a line's worst bank conflict is; null if it has none.
const NamedArray* array_of_conflicts(const KernelProfile& kernel, const TrafficCounts& counts) {
  const Counts* worst = nullptr;
  for (const Traffic traffic :
       {Traffic::shared_load, Traffic::shared_store, Traffic::shared_atomic}) {
    const Counts& c = of(counts, traffic);
    if (c.conflicts > 0 && (worst == nullptr || c.worst > worst->worst)) worst = &c;
  }
  return worst == nullptr ? nullptr : kernel.array_at(worst->worst_at);
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

simt::inspect::WorkCounts simt_count_work() {
  simt::inspect::WorkCounts work;
  work.copied_bytes = simt::inspect::Counter::instance().copied_bytes();
  for (const simt::inspect::KernelProfile& kernel :
       simt::inspect::Counter::instance().recorded().kernels()) {
    work += kernel.work;
  }
  return work;
}

void simt_count_record() { simt::inspect::Counter::instance().record(); }

void simt_count_visit(void (*visit)(void* context, const simt::inspect::CountedLine& line),
                      void* context) {
  using namespace simt::inspect;
  const Counter& counter = Counter::instance();
  static constexpr TrafficCounts none{};
  for (const KernelProfile& kernel : counter.recorded().kernels()) {
    const std::vector<LineCounts> lines =
        lines_of(kernel, counter.instructions(), Attribution::kernel_file);
    if (lines.empty()) {
      visit(context, {kernel.name.c_str(), kernel.source.file.c_str(), kernel.source.line, "", 0,
                      true, &none, nullptr});
    }
    for (const LineCounts& line : lines) {
      const NamedArray* array = array_of_conflicts(kernel, line.counts);
      CountedArray counted{};
      if (array != nullptr) {
        counted = {array->name.c_str(), array->element, array->dims.data(), array->dims.size()};
      }
      visit(context, {kernel.name.c_str(), kernel.source.file.c_str(), kernel.source.line,
                      line.line.file.c_str(), line.line.line, !kernel.cut, &line.counts,
                      array == nullptr ? nullptr : &counted});
    }
  }
}

}  // extern "C"
