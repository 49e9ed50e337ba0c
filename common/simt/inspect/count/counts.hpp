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

  // Shared memory.
  std::uint64_t wavefronts = 0;  ///< passes through the 32 banks
  std::uint64_t conflicts = 0;   ///< wavefronts beyond those that the size of the request needs

  std::uint64_t repeats = 0;  ///< atomics: lanes that had to wait for another at their address

  /// Of one request: lanes at one address (global atomics), ways of a bank conflict (shared
  /// memory), sectors (otherwise).
  std::uint64_t worst = 0;

  Counts& operator+=(const Counts& other) {
    requests += other.requests;
    lanes += other.lanes;
    bytes += other.bytes;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    wavefronts += other.wavefronts;
    conflicts += other.conflicts;
    repeats += other.repeats;
    worst = std::max(worst, other.worst);
    return *this;
  }

  std::uint64_t moved() const { return sectors * kSector; }
  std::uint64_t ideal() const { return ideal_sectors * kSector; }
  double each(std::uint64_t sum) const {
    return requests == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(requests);
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
