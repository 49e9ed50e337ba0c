#include "tut/budget/budget.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "tut/budget/budget_violation.hpp"

namespace tut {
namespace {

using detail::cure_of;
using detail::decimal;
using detail::error_at;
using detail::GLOBAL;
using detail::plural;
using detail::ratio;
using detail::Violation;
using detail::Violations;

constexpr std::array SHARED = {Traffic::shared_load, Traffic::shared_store, Traffic::shared_atomic};

/// With one digit behind the point, or none where that is 0.
std::string number(double value) {
  std::string text = decimal(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

/// Loads or stores of 4 bytes that leave out up to three words from lane to lane: perhaps a thread
/// takes those words itself, one by one.
bool may_be_parts_of_float4(Traffic traffic, const Counts& counts, double times_too_many) {
  const bool atomic = traffic == Traffic::global_atomic || traffic == Traffic::shared_atomic;
  return !atomic && counts.bytes == 4 * counts.lanes && times_too_many < 4.05;
}
constexpr const char* kUseFloat4 = "; or, if a thread needs neighbours, take them by one float4";

std::string most_sectors(const Counts& counts) {
  const bool uneven = static_cast<double>(counts.worst) > 1.5 * counts.each(counts.sectors);
  return uneven ? " (up to " + std::to_string(counts.worst) + ")" : "";
}

std::string bytes_message(Traffic traffic, const Counts& counts) {
  return "a warp's " + decimal(counts.each(counts.lanes), 0) + " " + plural(traffic) + " touch " +
         number(counts.each(counts.sectors)) + " sectors of 32 bytes" + most_sectors(counts) +
         ", where " + number(counts.each(counts.coalesced_sectors)) +
         " would do if they lay side by side: " + cure_of(traffic, counts);
}

Violations line_bytes_violations(const Counters& counters, const Budget& budget,
                                 double cost_bytes) {
  Violations found;
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic : GLOBAL) {
      const Counts& counts = of(record.counts, traffic);
      if (counts.requests == 0) continue;
      const std::uint64_t needed = counts.moved_but_edges();
      const std::uint64_t excess = needed - std::min(needed, counts.coalesced());
      if (static_cast<double>(excess) <= budget.line_share * cost_bytes) continue;
      const bool own_limit = traffic == Traffic::global_store && budget.line_store_bytes > 0;
      const double most = own_limit ? budget.line_store_bytes : budget.line_bytes;
      if (ratio(needed, counts.coalesced()) <= most) continue;
      found.push_back({excess, error_at(record, bytes_message(traffic, counts))});
    }
  }
  return found;
}

std::string extents_text(const std::vector<std::size_t>& extents) {
  std::string text;
  for (const std::size_t extent : extents) text += "[" + std::to_string(extent) + "]";
  return text;
}

/// What to declare instead, if lanes walk down the columns of an array whose rows are too even;
/// "" if that is not what the conflict looks like.
std::string cure_of_rows(const SharedArray& array, const Counts& counts) {
  if (array.extents.size() < 2) return "";
  const std::size_t row = array.extents.back() * array.element;  // in bytes
  const std::size_t size =
      std::max<std::size_t>(4, counts.bytes / std::max<std::uint64_t>(1, counts.lanes));
  if (row % size != 0 || array.element > size) return "";
  const std::size_t in_one_bank = std::gcd(row / size, 128 / size);
  if (in_one_bank < 2 || counts.worst != in_one_bank) return "";
  std::vector<std::size_t> padded = array.extents;
  padded.back() += size / array.element;
  std::size_t& rows = padded[padded.size() - 2];
  const bool wrong_extent = rows % 4 == 1 && rows > 1;
  if (wrong_extent) --rows;
  return ", as " + array.name + " is " + extents_text(array.extents) +
         " and words of one column meet in a bank. " +
         (wrong_extent ? "An extra row changes nothing, an extra column does: "
                       : "Let its rows be a little longer: ") +
         array.name + extents_text(padded);
}

std::string conflict_message(Traffic traffic, const Counts& counts, const SharedArray& array) {
  const double least = counts.each(counts.wavefronts - counts.conflicts);
  std::string cure = traffic == Traffic::shared_atomic
                         ? ". Let the threads of a warp add to different words, or add up first"
                         : cure_of_rows(array, counts);
  if (cure.empty()) {
    cure =
        ". Words whose addresses differ by a multiple of 128 bytes share a bank; let the threads "
        "of a warp use neighbouring words, or leave one word unused after every ";
    cure += array.extents.size() == 1 ? "32 words" : "row of the array";
    cure += " (four, if it is used by 16 bytes at a time, as float4 and WMMA do)";
  }
  if (may_be_parts_of_float4(traffic, counts, static_cast<double>(counts.worst)))
    cure += kUseFloat4;
  const bool uneven = counts.each(counts.wavefronts) + 0.05 < static_cast<double>(counts.worst);
  return std::to_string(counts.worst) + "-way bank conflict: a warp's " +
         decimal(counts.each(counts.lanes), 0) + " " + plural(traffic) + " of shared memory take " +
         number(counts.each(counts.wavefronts)) + " passes through the banks" +
         (uneven ? " on average" : "") + " where " + number(least) + " would do" + cure;
}

Violations conflict_violations(const Counters& counters, const Budget& budget) {
  Violations found;
  std::uint64_t conflicts = 0;
  for (const Counts& counts : counters.total()) conflicts += counts.conflicts;
  if (static_cast<double>(conflicts) <= budget.bank_conflicts) return found;
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic : SHARED) {
      const Counts& counts = of(record.counts, traffic);
      if (counts.conflicts == 0) continue;
      found.push_back({counts.conflicts,
                       error_at(record, conflict_message(traffic, counts, record.conflicts))});
    }
  }
  return found;
}

/// Told of the line that makes most requests.
Violations narrow_access_violations(const Counters& counters, Traffic traffic, double least) {
  const TrafficCounts total = counters.total();
  const Counts& all = of(total, traffic);
  if (all.lanes == 0 || ratio(all.bytes, all.lanes) >= least) return {};
  const auto requests = [traffic](const LineRecord& record) {
    return of(record.counts, traffic).requests;
  };
  const LineRecord& most = *std::ranges::max_element(counters.lines, {}, requests);
  return {{0, error_at(most, std::string("a thread ") +
                                 (traffic == Traffic::global_load ? "loads " : "stores ") +
                                 decimal(ratio(all.bytes, all.lanes)) +
                                 " bytes at a time on average; expected " + decimal(least, 0) +
                                 " at least: a float4 takes a quarter of the requests, for each "
                                 "array whose rows begin at multiples of 16 bytes")}};
}

/// How many requests are scattered, told of the line that makes most of that kind.
std::string scattered_message(const Counters& counters, Traffic traffic) {
  const auto requests = [traffic](const LineRecord& record) {
    return of(record.counts, traffic).requests;
  };
  const LineRecord& most = *std::ranges::max_element(counters.lines, {}, requests);
  const TrafficCounts total = counters.total();
  const Counts& all = of(total, traffic);
  const bool load = traffic == Traffic::shared_load;
  return error_at(most, "in " + std::to_string(all.scattered) + " of " +
                            std::to_string(all.requests) + " requests that " +
                            (load ? "load from" : "store to") +
                            " shared memory neighbouring lanes use different rows; expected ");
}

/// Stores that should go down a column of a tile and do not, loads that do and should not.
Violations transposed_tile_violations(const Counters& counters, const Budget& budget) {
  const TrafficCounts total = counters.total();
  const auto share = [&](Traffic traffic) {
    const Counts& all = of(total, traffic);
    return all.requests == 0 ? 0 : ratio(all.scattered, all.requests);
  };
  Violations found;
  if (share(Traffic::shared_store) < budget.scattered_stores) {
    found.push_back({0, scattered_message(counters, Traffic::shared_store) +
                            decimal(100 * budget.scattered_stores, 0) +
                            " % of them at least: keep the tile transposed, so that what lies in a "
                            "row of the matrix goes down a column of the tile"});
  }
  if (share(Traffic::shared_load) > budget.scattered_loads) {
    found.push_back({0, scattered_message(counters, Traffic::shared_load) +
                            decimal(100 * budget.scattered_loads, 0) +
                            " % of them at most: transpose the tile of which the lanes of a warp "
                            "use the same element, and leave the other one as it lies"});
  }
  return found;
}

}  // namespace

const char* detail::plural(Traffic traffic) {
  static constexpr std::array<const char*, simt::inspect::kTrafficKinds> names = {
      "loads", "stores", "atomics", "loads", "stores", "atomics"};
  return names[static_cast<std::size_t>(traffic)];
}

std::string detail::error_at(const LineRecord& record, const std::string& message) {
  const bool own = record.file == record.kernel_file ||
                   (!record.file.empty() && record.file.ends_with("/" + record.kernel_file));
  return (own ? record.file : record.kernel_file) + ":" +
         std::to_string(own ? record.line : record.kernel_line) + ": error: budget: " + message;
}

/// A warp whose bytes are neighbours and only begin off a sector's border touches one sector more.
std::string detail::cure_of(Traffic traffic, const Counts& counts) {
  const bool shifted = counts.each(counts.sectors) <= counts.each(counts.coalesced_sectors) + 1.01;
  if (shifted) {
    return "let the addresses that a warp uses at once be contiguous, from a multiple of 32 bytes "
           "on (a block less than 32 threads wide spreads a warp over several rows)";
  }
  const bool parts =
      may_be_parts_of_float4(traffic, counts, ratio(counts.sectors, counts.coalesced_sectors));
  return std::string("let neighbouring threads (threadIdx.x) use neighbouring addresses") +
         (parts ? kUseFloat4 : "");
}

std::vector<std::string> budget_violations(const Counters& counters, const Budget& budget,
                                           double cost_bytes) {
  std::vector<std::string> violations;
  if (counters.bytes_moved() == 0) {
    violations.emplace_back("error: budget: nothing was counted: no kernel used global memory");
    return violations;
  }
  Violations of_bytes = line_bytes_violations(counters, budget, cost_bytes);
  std::ranges::move(detail::total_bytes_violations(counters, budget, cost_bytes, !of_bytes.empty()),
                    std::back_inserter(of_bytes));
  if (of_bytes.empty()) of_bytes = detail::repeated_store_violations(counters, budget);
  for (Violations found :
       {detail::work_violations(counters, budget),
        detail::copy_violations(counters, budget, cost_bytes), of_bytes,
        conflict_violations(counters, budget),
        narrow_access_violations(counters, Traffic::global_load, budget.load_bytes),
        narrow_access_violations(counters, Traffic::global_store, budget.store_bytes),
        transposed_tile_violations(counters, budget)}) {
    std::ranges::stable_sort(found, std::ranges::greater{}, &Violation::excess);
    for (Violation& violation : found) violations.push_back(std::move(violation.text));
  }
  return violations;
}

std::string budget_summary(const Counters& counters, double cost_bytes) {
  constexpr double kNear = 1.1;
  const auto moved = static_cast<double>(detail::counted_bytes(counters));
  const std::string text = "moved " + decimal(moved, 0) + " bytes";
  const std::string cost = decimal(cost_bytes, 0);
  if (moved <= kNear * cost_bytes) return text + "; the contract's Cost is " + cost;
  return text + ", " + decimal(moved / cost_bytes, 1) + " times the contract's Cost of " + cost +
         ", which its budget allows: what a cache would serve again is counted, too";
}

Outcome budget_outcome(const Budget& budget, const Counters& counters, double cost_bytes) {
  const std::vector<std::string> violations = budget_violations(counters, budget, cost_bytes);
  if (violations.empty()) return {};
  std::string text = "the kernels use memory more than the exercise allows:\n";
  for (const std::string& violation : violations) text += violation + "\n";
  return failure("budget", text);
}

}  // namespace tut
