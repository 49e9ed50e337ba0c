#include "tut/budget.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace tut {
namespace {

std::string decimal(double value, int digits = 1) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

double ratio(std::uint64_t numerator, std::uint64_t denominator) {
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

const char* plural(Traffic traffic) {
  static constexpr std::array<const char*, simt::inspect::kTrafficKinds> names = {
      "loads", "stores", "atomics", "loads", "stores", "atomics"};
  return names[static_cast<std::size_t>(traffic)];
}

std::string error_at(const std::string& file, int line, const std::string& message) {
  return file + ":" + std::to_string(line) + ": error: budget: " + message;
}

/// A line's own place, or its kernel's.
std::string error_at(const LineRecord& record, const std::string& message) {
  if (record.file.empty()) return error_at(record.kernel_file, record.kernel_line, message);
  return error_at(record.file, record.line, message);
}

/// Loads or stores of 4 bytes that leave out up to three words from lane to lane: perhaps a thread
/// takes those words itself, one by one.
bool may_be_parts_of_float4(Traffic traffic, const Counts& counts, double times_too_many) {
  const bool atomic = traffic == Traffic::global_atomic || traffic == Traffic::shared_atomic;
  return !atomic && counts.bytes == 4 * counts.lanes && times_too_many < 4.05;
}
constexpr const char* kUseFloat4 = "; or, if a thread needs neighbours, take them by one float4";

/// A warp whose bytes are neighbours and only begin off a sector's border touches one sector more.
std::string cure_of(Traffic traffic, const Counts& counts) {
  const bool shifted = counts.each(counts.sectors) <= counts.each(counts.ideal_sectors) + 1.01;
  if (shifted) return "let each warp begin at a multiple of 32 bytes";
  const bool parts =
      may_be_parts_of_float4(traffic, counts, ratio(counts.sectors, counts.ideal_sectors));
  return std::string("let neighbouring threads (threadIdx.x) use neighbouring addresses") +
         (parts ? kUseFloat4 : "");
}

std::string most_sectors(const Counts& counts) {
  const bool uneven = static_cast<double>(counts.worst) > 1.5 * counts.each(counts.sectors);
  return uneven ? " (up to " + std::to_string(counts.worst) + ")" : "";
}

std::string bytes_message(Traffic traffic, const Counts& counts) {
  return "a warp's " + decimal(counts.each(counts.lanes), 0) + " " + plural(traffic) + " touch " +
         decimal(counts.each(counts.sectors)) + " sectors of 32 bytes" + most_sectors(counts) +
         ", " + decimal(ratio(counts.sectors, counts.ideal_sectors)) + " times the " +
         decimal(counts.each(counts.ideal_sectors)) +
         " that its bytes would fill: " + cure_of(traffic, counts);
}

std::string conflict_message(Traffic traffic, const Counts& counts) {
  const double least = counts.each(counts.wavefronts - counts.conflicts);
  std::string cure = traffic == Traffic::shared_atomic
                         ? "let the threads of a warp add to different words, or add up first"
                         : "neighbouring threads should touch neighbouring words, or the rows "
                           "of the array be a word longer (four, for float4)";
  if (may_be_parts_of_float4(traffic, counts, counts.worst)) cure += kUseFloat4;
  return std::to_string(counts.worst) + "-way bank conflict: a warp's " +
         decimal(counts.each(counts.lanes), 0) + " " + plural(traffic) + " of shared memory take " +
         decimal(counts.each(counts.wavefronts)) + " passes through the banks where " +
         decimal(least) + " would do: " + cure;
}

void add_line_bytes(const Counters& counters, const Budget& budget,
                    std::vector<std::string>& violations) {
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic :
         {Traffic::global_load, Traffic::global_store, Traffic::global_atomic}) {
      const Counts& counts = of(record.counts, traffic);
      if (counts.requests == 0) continue;
      if (ratio(counts.sectors, counts.ideal_sectors) <= budget.line_bytes) continue;
      violations.push_back(error_at(record, bytes_message(traffic, counts)));
    }
  }
}

void add_conflicts(const Counters& counters, const Budget& budget,
                   std::vector<std::string>& violations) {
  std::uint64_t conflicts = 0;
  for (const Counts& counts : counters.total()) conflicts += counts.conflicts;
  if (static_cast<double>(conflicts) <= budget.bank_conflicts) return;
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic :
         {Traffic::shared_load, Traffic::shared_store, Traffic::shared_atomic}) {
      const Counts& counts = of(record.counts, traffic);
      if (counts.conflicts == 0) continue;
      violations.push_back(error_at(record, conflict_message(traffic, counts)));
    }
  }
}

/// What to do about the line that moves most, by what it mostly does.
const char* cure_of_total(const TrafficCounts& counts) {
  const auto moved = [&](Traffic traffic) { return of(counts, traffic).moved(); };
  const std::uint64_t loads = moved(Traffic::global_load), stores = moved(Traffic::global_store);
  const std::uint64_t atomics = moved(Traffic::global_atomic);
  if (atomics > loads && atomics > stores) {
    return "add up in registers or in shared memory first, then let each block do one atomic for "
           "an element";
  }
  if (stores > loads) return "store each element once; what is not final stays in registers";
  return "load each element once, keep in a register what a thread needs again, and stage in "
         "shared memory what several threads of a block need";
}

/// The total is told of the kernel's line that moves most; and not at all if it would be right
/// without what has been said of lines.
void add_total_bytes(const Counters& counters, const Budget& budget, double cost_bytes,
                     std::vector<std::string>& violations) {
  const auto moved = static_cast<double>(counters.bytes_moved());
  if (!(moved > budget.total_bytes * cost_bytes)) return;
  std::uint64_t ideal = 0;
  for (const Counts& counts : counters.total()) ideal += counts.ideal();
  const bool lines_explain = !violations.empty();
  if (lines_explain && static_cast<double>(ideal) <= budget.total_bytes * cost_bytes) return;
  const LineRecord* most = nullptr;
  std::uint64_t most_moved = 0;
  for (const LineRecord& record : counters.lines) {
    std::uint64_t line_moved = 0;
    for (const Counts& counts : record.counts) line_moved += counts.moved();
    if (line_moved > most_moved) {
      most = &record;
      most_moved = line_moved;
    }
  }
  violations.push_back(
      error_at(*most, "global memory moves " + decimal(moved, 0) + " bytes in all, " +
                          decimal(moved / cost_bytes, 2) + " times the " + decimal(cost_bytes, 0) +
                          " of the contract's Cost, most of them here (" +
                          decimal(100.0 * static_cast<double>(most_moved) / moved, 0) +
                          " %): " + cure_of_total(most->counts)));
}

/// Told of the line that loads most often.
void add_narrow_loads(const Counters& counters, const Budget& budget,
                      std::vector<std::string>& violations) {
  const TrafficCounts total = counters.total();
  const Counts& loads = of(total, Traffic::global_load);
  if (loads.lanes == 0 || ratio(loads.bytes, loads.lanes) >= budget.load_bytes) return;
  const auto requests = [](const LineRecord& record) {
    return of(record.counts, Traffic::global_load).requests;
  };
  const LineRecord& most = *std::ranges::max_element(counters.lines, {}, requests);
  violations.push_back(
      error_at(most, "a thread loads " + decimal(ratio(loads.bytes, loads.lanes)) +
                         " bytes at a time on average, where the contract asks for " +
                         decimal(budget.load_bytes, 0) +
                         " at least: a float4 takes a quarter of the requests for the same bytes"));
}

}  // namespace

std::vector<std::string> budget_violations(const Counters& counters, const Budget& budget,
                                           double cost_bytes) {
  std::vector<std::string> violations;
  if (counters.bytes_moved() == 0) {
    violations.emplace_back("error: budget: nothing was counted: no kernel used global memory");
    return violations;
  }
  add_line_bytes(counters, budget, violations);
  add_conflicts(counters, budget, violations);
  add_narrow_loads(counters, budget, violations);
  add_total_bytes(counters, budget, cost_bytes, violations);
  return violations;
}

Outcome budget_outcome(const std::string& exercise, double cost_bytes,
                       const std::function<void()>& call) {
  const std::vector<std::string> violations =
      budget_violations(counted(call), exercise_budget(exercise), cost_bytes);
  if (violations.empty()) return {};
  std::string text = "memory is used more than the exercise allows:\n";
  for (const std::string& violation : violations) text += violation + "\n";
  return failure("budget", text);
}

}  // namespace tut
