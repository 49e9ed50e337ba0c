#include <cstdio>

#include "report.hpp"
#include "report_file.hpp"

namespace simt::inspect {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.10g", value);
  return text;
}

std::string extent(const Extent& e) {
  return "[" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + "]";
}

/// `"requests": 4, "lanes": 128`: only the fields that mean something for this kind of traffic.
std::string fields(const Counts& c, Traffic traffic) {
  std::string text;
  const auto add = [&](const char* name, std::uint64_t value) {
    text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
  };
  add("requests", c.requests);
  add("lanes", c.lanes);
  add("bytes_used", c.bytes);
  if (is_shared(traffic)) {
    add("wavefronts", c.wavefronts);
    add("bank_conflicts", c.conflicts);
    add("worst_conflict_ways", c.worst);
  } else {
    add("sectors", c.sectors);
    add("bytes_moved", c.moved());
    add("bytes_ideal", c.ideal());
    add("bytes_coalesced", c.coalesced());
    if (is_atomic(traffic)) {
      add("repeats", c.repeats);
      add("most_lanes_at_one_address", c.worst);
    } else {
      add("most_sectors", c.worst);
    }
  }
  return text;
}

std::string traffic_fields(const TrafficCounts& counts, const std::string& indent) {
  std::string text;
  for (std::size_t i = 0; i < kTrafficKinds; ++i) {
    if (counts[i].requests == 0) continue;
    const auto traffic = static_cast<Traffic>(i);
    text += (text.empty() ? "" : ",\n" + indent) + json_quoted(name_of(traffic)) + ": {" +
            fields(counts[i], traffic) + "}";
  }
  return text;
}

std::string kernel_json(const KernelProfile& kernel, const Instructions& instructions) {
  const std::vector<LineCounts> lines = lines_of(kernel, instructions);
  const TrafficCounts total = total_of(lines);
  std::string text = "  {\"kernel\": " + json_quoted(kernel.name) +
                     ", \"file\": " + json_quoted(kernel.source.file) +
                     ", \"line\": " + std::to_string(kernel.source.line) + ",\n";
  text += "   \"grid\": " + extent(kernel.grid) + ", \"block\": " + extent(kernel.block) +
          ", \"dynamic_shared\": " + std::to_string(kernel.dynamic_shared) +
          ", \"launches\": " + std::to_string(kernel.launches) + ",\n";
  text += "   \"block_barriers\": " + std::to_string(kernel.work.barriers) +
          ", \"warp_meetings\": " + std::to_string(kernel.meetings) +
          ", \"cut\": " + (kernel.cut ? "true" : "false") + ",\n";
  text += "   \"total\": {" + traffic_fields(total, "     ") + "},\n   \"lines\": [";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LineCounts& line = lines[i];
    text += (i == 0 ? "\n" : ",\n") + std::string("     {\"file\": ") +
            json_quoted(line.line.file) + ", \"line\": " + std::to_string(line.line.line) +
            ",\n      " + traffic_fields(line.counts, "      ") + "}";
  }
  text += "],\n   \"nsight_compute\": {";
  const std::vector<Metric> metrics = metrics_of(total);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    text += (i == 0 ? "\n     " : ",\n     ") + json_quoted(metrics[i].name) + ": " +
            number(metrics[i].value);
  }
  return text + "}}";
}

}  // namespace

std::string json_text(const Profile& profile, const Instructions& instructions) {
  std::string text = "{\"compiler\": " + json_quoted(compiler_version()) + ",\n\"kernels\": [";
  bool first = true;
  for (const KernelProfile& kernel : profile.kernels()) {
    text += (first ? "\n" : ",\n") + kernel_json(kernel, instructions);
    first = false;
  }
  return text + "\n]}\n";
}

}  // namespace simt::inspect
