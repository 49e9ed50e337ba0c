/// \file
/// Which sectors were there already: what a record of counters keeps of addresses.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "instructions.hpp"
#include "request.hpp"

namespace simt::inspect {

/// What the launches of a record have moved so far.
class MovedSectors {
 public:
  /// Adds a request of the block of that number; in `counts` its sectors that had been moved
  /// before: by a load those that were loaded or stored, by a store those that were stored; and the
  /// bytes that were stored again.
  void add(const Request& request, Traffic traffic, std::uint32_t block, Counts& counts);
  void clear() {
    moved_.clear();
    stored_.clear();
  }

 private:
  enum Moved : std::uint8_t { loaded = 1, stored = 2 };
  struct Mark {
    std::uint8_t moved = 0;
    std::uint32_t block = 0;  ///< that moved it last
  };
  std::unordered_map<std::uintptr_t, Mark> moved_;
  std::unordered_map<std::uintptr_t, std::uint32_t> stored_;  // by sector, a bit for each byte
};

/// Sectors of a block's loads that a cache has, since its other loads bring them:
/// - those that a few lanes load, if whole warps load them, too: the elements beside those of a
///   warp. Each counts once, however often a few lanes load it: a loop over its words is no edge.
/// - the first and the last of a warp's run, if another warp has loaded other bytes of them: runs
///   that begin off a sector's border.
class EdgeLoads {
 public:
  /// The most lanes of a load that is one of a few.
  static constexpr unsigned kFewLanes = 8;

  void add(const Request& request, InstructionId id);

  /// Adds what has been found to `counts`, by instruction, and forgets it.
  void count(std::vector<Counts>& counts);

 private:
  std::unordered_map<std::uintptr_t, std::uint32_t> of_warps_;  // by sector, a bit for each byte
  std::map<std::uintptr_t, InstructionId> of_few_;              // and who loaded it first
  std::map<InstructionId, std::uint64_t> shared_;               // ends of runs
};

/// Where a block's requests are kept for a record.
struct Reuse {
  MovedSectors& moved;
  EdgeLoads& edges;
  std::uint32_t block;  ///< its number in the record

  void add(const Request& request, Traffic traffic, InstructionId id, Counts& counts) {
    if (is_shared(traffic)) return;
    moved.add(request, traffic, block, counts);
    if (traffic == Traffic::global_load) edges.add(request, id);
  }
};

}  // namespace simt::inspect
