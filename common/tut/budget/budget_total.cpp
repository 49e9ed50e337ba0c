#include <algorithm>
#include <map>
#include <set>
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
using detail::Violations;

/// The lanes of one request count each byte once: fewer bytes than lanes means that lanes share
/// bytes.
std::string cure_of_stores(const Counts& stores) {
  return std::string("store each element once; ") +
         (stores.bytes < stores.lanes ? "the threads of a warp store the same one, so let a single "
                                        "thread of the block do it"
                                      : "what is not final stays in registers");
}

/// A line's traffic of one kind, as a cause of too much in all.
struct Cause {
  const LineRecord* record = nullptr;
  Traffic traffic = Traffic::global_load;
  bool within_blocks = false;  ///< what a block moves again is cause enough

  const Counts& counts() const { return of(record->counts, traffic); }
  std::uint64_t beside() const {
    return counts().sectors - std::min(counts().sectors, counts().ideal_sectors + pieces());
  }
  /// Sectors that moved before for other bytes only.
  std::uint64_t returned() const {
    return counts().returned_sectors - std::min(counts().returned_sectors, pieces());
  }
  bool repeats() const {
    return within_blocks || counts().repeated_sectors >= std::max(beside(), returned());
  }
  /// Sectors that would not move if every request were packed, or if nothing moved twice.
  std::uint64_t excess() const {
    return within_blocks ? counts().repeated_in_block
                         : std::max({counts().repeated_sectors, beside(), returned()});
  }
  /// Do its requests touch more sectors than side by side?
  bool spreads(double line_bytes) const {
    return !repeats() && ratio(counts().moved_but_edges(), counts().coalesced()) > line_bytes;
  }
  /// Do its stores come back to sectors of which other bytes had been stored?
  bool fills_in_pieces() const {
    return !repeats() && traffic == Traffic::global_store && 2 * returned() >= beside();
  }

 private:
  /// What a budget does not count of stores.
  std::uint64_t pieces() const {
    return traffic == Traffic::global_store ? counts().edge_sectors : 0;
  }
};

/// The line with the largest excess: not the one that moves most, which may have to.
Cause main_cause(const Counters& counters, bool within_blocks) {
  Cause worst;
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic : GLOBAL) {
      const Cause cause{&record, traffic, within_blocks};
      if (cause.counts().requests == 0) continue;
      const bool more =
          worst.record == nullptr || cause.excess() > worst.excess() ||
          (cause.excess() == worst.excess() && cause.counts().sectors > worst.counts().sectors);
      if (more) worst = cause;
    }
  }
  return worst;
}

std::string cure_of_cause(const Cause& cause, double line_bytes) {
  if (cause.traffic == Traffic::global_atomic &&
      2 * cause.counts().requests > cause.counts().lanes) {
    return "one thread at a time adds, each time to a sector that it takes for itself: let "
           "neighbouring threads of a warp add to neighbouring elements";
  }
  if (cause.traffic == Traffic::global_atomic) {
    return "add up in registers or in shared memory first, then let each block do one atomic for "
           "an element";
  }
  if (cause.spreads(line_bytes)) return cure_of(cause.traffic, cause.counts());
  if (cause.fills_in_pieces()) {
    return "let the threads of a warp store whole sectors in one request; lanes that went "
           "different ways store apart, so let each keep its value in a register until they are "
           "together again";
  }
  if (!cause.repeats()) {
    return "let the threads of a warp together load whole sectors of 32 bytes at once, instead of "
           "coming back for the rest";
  }
  if (cause.traffic == Traffic::global_store) return cure_of_stores(cause.counts());
  return "load each element once, keep in a register what a thread needs again, and stage in "
         "shared memory what several threads of a block need";
}

/// A line of the kernel's own file, or "FILE:" and a line of another one.
using LinePlace = std::pair<std::string, int>;

LinePlace place_of(const LineRecord& record) {
  const bool own = record.file == record.kernel_file;
  return {own ? "" : record.file.substr(record.file.rfind('/') + 1) + ":", record.line};
}

std::string place_text(const LinePlace& place) {
  return place.first + std::to_string(place.second);
}

/// The counter runs the warps of a block one after the other, so it is its choice which line's
/// requests come first and which line moves a sector again: these lines are reported together. ""
/// if there is only one.
std::string block_cause_text(const Counters& counters, Traffic traffic) {
  std::uint64_t moved = 0, again = 0;
  std::set<LinePlace> lines;
  for (const LineRecord& record : counters.lines) {
    const Counts& counts = of(record.counts, traffic);
    if (counts.repeated_in_block == 0) continue;
    moved += counts.moved();
    again += counts.repeated_in_block * simt::inspect::kSector;
    lines.insert(place_of(record));
  }
  if (lines.size() < 2) return "";
  std::string list;
  for (const LinePlace& place : lines) {
    const bool last = place == *lines.rbegin();
    list += (list.empty() ? "" : last ? " and " : ", ") + place_text(place);
  }
  return "of the " + std::to_string(moved) + " by the " + plural(traffic) + " of lines " + list +
         ", " + std::to_string(again) + " had moved before, by the same block";
}

std::string cause_text(const Counters& counters, const Cause& cause) {
  if (cause.within_blocks) {
    if (std::string text = block_cause_text(counters, cause.traffic); !text.empty()) return text;
  }
  const Counts& counts = cause.counts();
  const double moved = static_cast<double>(counts.moved());
  const double excess = static_cast<double>(cause.excess() * simt::inspect::kSector);
  return std::string("of the ") + decimal(moved, 0) + " by this line's " + plural(cause.traffic) +
         ", " + decimal(excess, 0) +
         (cause.within_blocks                 ? " had moved before, by the same block"
          : cause.repeats()                   ? " had moved before"
          : cause.fills_in_pieces()           ? " are of sectors that they fill in pieces"
          : cause.returned() > cause.beside() ? " are of sectors that had moved for other bytes"
                                              : " lie beside what they use");
}

/// "; by line: 22: 65536, 29: 196608": those that move more than a share of it, if there are
/// several.
std::string lines_text(const Counters& counters) {
  constexpr double least_share = 0.02;
  std::map<LinePlace, std::uint64_t> moved_by_line;
  for (const LineRecord& record : counters.lines) {
    for (const Traffic traffic : GLOBAL) {
      moved_by_line[place_of(record)] += of(record.counts, traffic).moved();
    }
  }
  std::string text;
  int lines = 0;
  for (const auto& [place, moved] : moved_by_line) {
    if (static_cast<double>(moved) < least_share * static_cast<double>(counters.bytes_moved()))
      continue;
    text +=
        (++lines == 1 ? "; by line: " : ", ") + place_text(place) + ": " + std::to_string(moved);
  }
  return lines > 1 ? text : "";
}

/// The line that stores most of what had been stored.
const LineRecord& most_stored_again(const Counters& counters) {
  return *std::ranges::max_element(counters.lines, {}, [](const LineRecord& record) {
    return of(record.counts, Traffic::global_store).bytes_stored_again;
  });
}

/// "of the 512 bytes that this line stores, 384 had been stored before: ...".
std::string stored_again_text(const LineRecord& record) {
  const Counts& stores = of(record.counts, Traffic::global_store);
  return "of the " + std::to_string(stores.bytes) + " bytes that this line stores, " +
         std::to_string(stores.bytes_stored_again) +
         " had been stored before: " + cure_of_stores(stores);
}

}  // namespace

std::uint64_t detail::counted_bytes(const Counters& counters) {
  std::uint64_t bytes = 0;
  for (const Counts& counts : counters.total()) bytes += counts.moved_but_edges();
  return bytes;
}

Violations detail::total_bytes_violations(const Counters& counters, const Budget& budget,
                                          double cost_bytes, bool lines_said) {
  const std::uint64_t needed = counted_bytes(counters);
  std::uint64_t ideal = 0, again = 0;
  for (const Counts& counts : counters.total()) {
    ideal += counts.ideal();
    again += counts.repeated_in_block * simt::inspect::kSector;
  }
  const double most = budget.total_bytes * cost_bytes;
  if (static_cast<double>(needed) <= most) return {};
  if (lines_said && static_cast<double>(ideal) <= most) return {};
  const auto moved = static_cast<double>(counters.bytes_moved());
  const std::string too_much = "global memory moves " + decimal(moved, 0) + " bytes in all, " +
                               decimal(moved / cost_bytes, 2) + " times the " +
                               decimal(cost_bytes, 0) + " of the contract's Cost; ";
  // Some loads have to be repeated; a store never has to be. So stores are reported first where
  // they are half of the excess: each may cause another load as well.
  const LineRecord& stored = most_stored_again(counters);
  const std::uint64_t stored_again = of(stored.counts, Traffic::global_store).bytes_stored_again;
  if (static_cast<double>(stored_again) >= (static_cast<double>(needed) - most) / 2) {
    return {{stored_again, error_at(stored, too_much + stored_again_text(stored))}};
  }
  const Cause cause =
      main_cause(counters, static_cast<double>(needed) - static_cast<double>(again) <= most);
  // Lines that touch more sectors than they need are told first, if that is the cause.
  return {{cause.repeats() ? cause.excess() * simt::inspect::kSector : 0,
           error_at(*cause.record, too_much + cause_text(counters, cause) + ": " +
                                       cure_of_cause(cause, budget.line_bytes) +
                                       lines_text(counters))}};
}

Violations detail::repeated_store_violations(const Counters& counters, const Budget& budget) {
  const TrafficCounts total = counters.total();
  const Counts& all = of(total, Traffic::global_store);
  const std::uint64_t different = all.bytes - all.bytes_stored_again;
  if (static_cast<double>(all.bytes) <= budget.stores * static_cast<double>(different)) return {};
  const LineRecord& most = most_stored_again(counters);
  return {{all.bytes_stored_again, error_at(most, stored_again_text(most))}};
}

}  // namespace tut
