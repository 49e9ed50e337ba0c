/// \file
/// What count mode counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace simt::inspect {

/// Bytes of a sector, the unit in which a GPU moves global memory.
inline constexpr unsigned kSector = 32;

enum class Traffic : std::uint8_t {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic
};

inline constexpr std::size_t kTrafficKinds = 6;

constexpr bool is_shared(Traffic traffic) { return traffic >= Traffic::shared_load; }
constexpr bool is_atomic(Traffic traffic) {
  return traffic == Traffic::global_atomic || traffic == Traffic::shared_atomic;
}

/// As reports call it: `global_load`.
const char* name_of(Traffic traffic);

/// Sums over requests. A request is one instruction of one warp, whatever lanes take part.
struct Counts {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;  ///< that took part
  std::uint64_t bytes =
      0;  ///< that the lanes asked for; in global memory each counts once a request

  // Global memory.
  std::uint64_t sectors = 0;        ///< distinct ones of a request
  std::uint64_t ideal_sectors = 0;  ///< that its bytes would fill, packed and aligned
  /// At most `sectors`: as many as the same lanes would touch side by side, each at its place in
  /// the warp, or as its bytes would fill; of a load also those of each of two runs. A warp that
  /// data switches off in part, in which lanes share words, or that goes on in the next row of a
  /// tile, is coalesced if it touches no more.
  std::uint64_t coalesced_sectors = 0;
  /// Of loads in a record: those that other loads of the same block bring, so that a cache has them
  /// (EdgeLoads). Of stores: those that the same store of other lanes has touched (StorePieces).
  std::uint64_t edge_sectors = 0;
  /// Of a record: of which some of the same bytes had moved before, by a load after loads and
  /// stores, by a store after stores.
  std::uint64_t repeated_sectors = 0;
  std::uint64_t repeated_in_block = 0;   ///< of these: the same block had moved them last
  std::uint64_t returned_sectors = 0;    ///< likewise moved before, but for other bytes only
  std::uint64_t bytes_stored_again = 0;  ///< of a record, by stores

  // Shared memory.
  std::uint64_t wavefronts = 0;  ///< passes through the 32 banks
  std::uint64_t conflicts = 0;   ///< wavefronts beyond those that the size of the request needs
  /// Requests in which most neighbouring lanes use words that are no neighbours, nor the same.
  std::uint64_t scattered = 0;

  std::uint64_t repeats = 0;  ///< atomics: lanes that had to wait for another at their address

  /// Of one request: lanes at one address (global atomics), ways of a bank conflict (shared
  /// memory), sectors (otherwise).
  std::uint64_t worst = 0;
  std::uint64_t worst_at = 0;  ///< in shared memory: where the first lane of that request is

  Counts& operator+=(const Counts& other) {
    requests += other.requests;
    lanes += other.lanes;
    bytes += other.bytes;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    coalesced_sectors += other.coalesced_sectors;
    edge_sectors += other.edge_sectors;
    repeated_sectors += other.repeated_sectors;
    repeated_in_block += other.repeated_in_block;
    returned_sectors += other.returned_sectors;
    bytes_stored_again += other.bytes_stored_again;
    wavefronts += other.wavefronts;
    conflicts += other.conflicts;
    scattered += other.scattered;
    repeats += other.repeats;
    note_worst(other.worst, other.worst_at);
    return *this;
  }

  void note_worst(std::uint64_t of_request, std::uint64_t at) {
    if (of_request <= worst) return;
    worst = of_request;
    worst_at = at;
  }

  std::uint64_t moved() const { return sectors * kSector; }
  std::uint64_t ideal() const { return ideal_sectors * kSector; }
  std::uint64_t coalesced() const { return coalesced_sectors * kSector; }
  /// Without what a cache brings anyhow, and without what a store in pieces touches again.
  std::uint64_t moved_but_edges() const {
    return (sectors - std::min(sectors, edge_sectors)) * kSector;
  }
  double each(std::uint64_t sum) const {
    return requests == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(requests);
  }
};

/// Who did the work of a launch, and by which instructions.
struct WorkCounts {
  std::uint64_t threads = 0;          ///< that used memory
  std::uint64_t busiest = 0;          ///< accesses of the thread that has most
  std::uint64_t accesses = 0;         ///< of all threads
  std::uint64_t tensor_products = 0;  ///< of a warp: products of fragments
  std::uint64_t async_copies = 0;     ///< of a thread
  /// Bytes that such copies of a block were yet to write while its threads read shared memory: the
  /// most of each thread, of the block that has most.
  std::uint64_t bytes_ahead = 0;
  std::uint64_t barriers = 0;     ///< __syncthreads(), one for each block that came to it
  std::uint64_t idle_blocks = 0;  ///< of which no thread used memory
  /// Bytes that copies and fills of the runtime's read and wrote beside the kernels.
  std::uint64_t copied_bytes = 0;

  WorkCounts& operator+=(const WorkCounts& other) {
    threads += other.threads;
    busiest = std::max(busiest, other.busiest);
    accesses += other.accesses;
    tensor_products += other.tensor_products;
    async_copies += other.async_copies;
    bytes_ahead = std::max(bytes_ahead, other.bytes_ahead);
    barriers += other.barriers;
    idle_blocks += other.idle_blocks;
    copied_bytes += other.copied_bytes;
    return *this;
  }
};

/// One for each kind of traffic.
using TrafficCounts = std::array<Counts, kTrafficKinds>;

inline Counts& of(TrafficCounts& counts, Traffic traffic) {
  return counts[static_cast<std::size_t>(traffic)];
}
inline const Counts& of(const TrafficCounts& counts, Traffic traffic) {
  return counts[static_cast<std::size_t>(traffic)];
}

}  // namespace simt::inspect
