/// \file
/// What one request costs: the memory instruction of one warp.
#pragma once

#include <cstdint>

#include "counts.hpp"

namespace simt::inspect {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kBanks = 32;

/// The lanes that take part, in ascending order, and their addresses.
struct Request {
  unsigned count = 0;
  unsigned size = 0;  ///< bytes that each lane asks for: 1, 2, 4, 8 or 16
  std::uint8_t lanes[kLanes];
  std::uintptr_t addresses[kLanes];  ///< of shared memory: offsets
};

/// Adds a request to what has been counted.
void count_request(const Request& request, Traffic traffic, Counts& counts);

}  // namespace simt::inspect
