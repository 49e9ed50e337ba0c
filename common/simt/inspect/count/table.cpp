#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "report.hpp"

namespace simt::inspect {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  char text[256];
  std::va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof(text), pattern, arguments);
  va_end(arguments);
  return text;
}

unsigned long long wide(std::uint64_t value) { return value; }

std::string extent_text(const Extent& e) {
  std::string text = std::to_string(e.x);
  if (e.y != 1 || e.z != 1) text += " x " + std::to_string(e.y);
  if (e.z != 1) text += " x " + std::to_string(e.z);
  return text;
}

std::string base_name(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? file : file.substr(slash + 1);
}

/// `:31` in the kernel's own file, `view.hpp:20` in another.
std::string place_text(const LineCounts& line) {
  if (!line.line.known()) return "elsewhere";
  std::string file = line.in_kernel_file ? "" : base_name(line.line.file);
  if (file.size() > 16) file = file.substr(0, 13) + "...";
  return file + ":" + std::to_string(line.line.line);
}

const char* verb(Traffic traffic) {
  if (is_atomic(traffic)) return "atomic";
  return traffic == Traffic::global_load || traffic == Traffic::shared_load ? "load" : "store";
}

std::string global_row(const std::string& place, Traffic traffic, const Counts& c) {
  std::string row =
      format("  %-21s %-6s %11llu %5.1f %11llu %7.2f %13llu %5.0f %% %8.2f", place.c_str(),
             verb(traffic), wide(c.requests), c.each(c.lanes), wide(c.sectors), c.each(c.sectors),
             wide(c.moved()), 100.0 * static_cast<double>(c.bytes) / static_cast<double>(c.moved()),
             static_cast<double>(c.sectors) / static_cast<double>(c.ideal_sectors));
  if (c.repeats > 0) {
    row += format("\n  %-21s        up to %llu lanes at one address wait for each other", "",
                  wide(c.worst));
  }
  return row + "\n";
}

std::string shared_row(const std::string& place, Traffic traffic, const Counts& c) {
  const std::string worst = c.worst < 2 ? "none" : format("%llu-way", wide(c.worst));
  return format("  %-21s %-6s %11llu %5.1f %11llu %7.2f %13llu  %s\n", place.c_str(), verb(traffic),
                wide(c.requests), c.each(c.lanes), wide(c.wavefronts), c.each(c.wavefronts),
                wide(c.conflicts), worst.c_str());
}

/// The rows of all kinds of traffic that are in shared memory, or of those that are not.
std::string rows(const std::vector<LineCounts>& lines, const TrafficCounts& total, bool shared) {
  std::string text;
  const auto add = [&](const std::string& place, const TrafficCounts& counts) {
    for (std::size_t i = 0; i < kTrafficKinds; ++i) {
      const auto traffic = static_cast<Traffic>(i);
      if (is_shared(traffic) != shared || counts[i].requests == 0) continue;
      text +=
          shared ? shared_row(place, traffic, counts[i]) : global_row(place, traffic, counts[i]);
    }
  };
  for (const LineCounts& line : lines) add(place_text(line), line.counts);
  if (!text.empty()) add("all", total);
  return text;
}

std::string metric_rows(const TrafficCounts& total) {
  std::string text;
  for (const Metric& metric : metrics_of(total)) {
    const bool whole = metric.name.ends_with(".sum");
    text +=
        format(whole ? "  %-78s %12.0f\n" : "  %-78s %12.2f\n", metric.name.c_str(), metric.value);
  }
  return text.empty() ? "" : "  in all, as Nsight Compute names it\n" + text;
}

std::string kernel_text(const KernelProfile& kernel, const Instructions& instructions) {
  const std::vector<LineCounts> lines = lines_of(kernel, instructions);
  const TrafficCounts total = total_of(lines);
  std::string text = kernel.name + " (" + base_name(kernel.source.file) + ":" +
                     std::to_string(kernel.source.line) + "), grid " + extent_text(kernel.grid) +
                     ", block " + extent_text(kernel.block) + ", " +
                     std::to_string(kernel.launches) +
                     (kernel.launches == 1 ? " launch\n" : " launches\n");
  if (kernel.cut) {
    text +=
        "  its threads did too much between barriers to be merged as a whole: some requests\n"
        "  are counted as several, so these numbers are upper bounds\n";
  }
  if (lines.empty()) return text + "  no loads or stores of global or shared memory were seen\n";
  const std::string global = rows(lines, total, false);
  if (!global.empty()) {
    text += format("  %-28s %11s %5s %11s %7s %13s %7s %8s\n", "global memory", "requests", "lanes",
                   "sectors", "/req", "bytes moved", "used", "x ideal") +
            global;
  }
  const std::string shared = rows(lines, total, true);
  if (!shared.empty()) {
    text += format("  %-28s %11s %5s %11s %7s %13s  %s\n", "shared memory", "requests", "lanes",
                   "wavefronts", "/req", "conflicts", "worst") +
            shared;
  }
  if (kernel.work.barriers + kernel.meetings > 0) {
    text += format("  barriers: %llu of blocks, %llu of warps\n", wide(kernel.work.barriers),
                   wide(kernel.meetings));
  }
  return text + metric_rows(total);
}

}  // namespace

std::string table_text(const Profile& profile, const Instructions& instructions) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels()) {
    text += (text.empty() ? "" : "\n") + kernel_text(kernel, instructions);
  }
  return text;
}

}  // namespace simt::inspect
