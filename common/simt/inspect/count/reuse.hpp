/// \file
/// Which sectors were there already: what a record of counters keeps of addresses.
#pragma once

#include <array>
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
  void clear() { moved_.clear(); }

 private:
  /// Of a sector: the bytes that have been moved, a bit for each, by loads, stores and atomics.
  struct Mark {
    std::array<std::uint32_t, 3> bytes = {};
    std::uint32_t block = 0;  ///< that moved it last

    std::uint32_t moved_before(Traffic traffic) const;
  };
  std::unordered_map<std::uintptr_t, Mark> moved_;
};

/// The bytes of a sector that a request's lanes use, a bit for each.
struct SectorPart {
  std::uintptr_t sector;
  std::uint32_t bytes;
};

/// Stores of a warp whose lanes went different ways and come to one store one after the other,
/// before any of them goes on together with the others: the replay takes the order of the machine
/// code, where a GPU's compiler brings such lanes together first. What they store is the kernel's
/// own choice, in how many pieces is not.
class StorePieces {
 public:
  /// Lanes do something together: of a store that some of them have made and others have not, the
  /// others make no piece.
  void together(std::uint32_t lanes);

  /// Adds a store; returns how many of its sectors earlier pieces of it have touched, and only
  /// other bytes of them.
  unsigned add(const Request& request, InstructionId id);

 private:
  struct Store {
    InstructionId id;
    std::uint32_t lanes;
    std::vector<SectorPart> parts;
  };
  std::vector<Store> open_;  // those of which there may be further pieces
};

/// Loads of a warp that a GPU's compiler makes one of, where g++ makes several, and whose sectors
/// move once:
/// - loads of one line by lanes that went different ways, `p ? a[i] + b[i] : a[i]`, before any of
///   them goes on together with the others: what all ways load comes before they part;
/// - the members of one object, which a line loads for all lanes alike: `const Rates r = *rates;`.
class JoinedLoads {
 public:
  /// Lanes do something together: see StorePieces.
  void together(std::uint32_t lanes);

  /// Adds a load of a line; returns how many of its sectors have been moved by a load that it is
  /// one with.
  unsigned add(const Request& request, InstructionId id, std::uint32_t line);

 private:
  struct Load {
    InstructionId id;
    std::uint32_t line;
    std::uint32_t lanes;
    std::vector<std::uintptr_t> sectors;
  };
  std::vector<Load> open_;  // with which further ones may be one
  struct Member {
    std::uint32_t line = 0;
    std::uint32_t lanes = 0;
    std::uintptr_t address = 0;
  };
  Member last_;
};

/// Sectors of a block's loads that a cache has, since its other loads bring them:
/// - those that a few lanes load, if whole warps load them, too: the elements beside those of a
///   warp. Each counts once, however often a few lanes load it: a loop over its words is no edge.
/// - the first and the last of a warp's run, or of each of two, if another warp has loaded other
///   bytes of them: runs that begin off a sector's border.
/// - those of which neighbouring lanes load 16 bytes each, and then the other 16: half of such a
///   sector counts for each of the two loads.
class EdgeLoads {
 public:
  /// The most lanes of a load that is one of a few.
  static constexpr unsigned kFewLanes = 8;

  void add(const Request& request, InstructionId id);

  /// Adds what has been found to `counts`, by instruction, and forgets it.
  void count(std::vector<Counts>& counts);

 private:
  struct Loaded {
    std::uint32_t bytes = 0;  ///< a bit for each
    InstructionId id{};       ///< that loaded half of it, if `by_halves`
    bool by_halves = false;
  };
  std::unordered_map<std::uintptr_t, Loaded> of_warps_;  // by sector
  std::map<std::uintptr_t, InstructionId> of_few_;       // and who loaded it first
  std::map<InstructionId, std::uint64_t> shared_;        // ends of runs
  std::map<InstructionId, std::uint64_t> halves_;        // of sectors
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
