/// @file
/// Moving and combining values of any trivially copyable type between lanes.
#pragma once

#include <cstring>
#include <type_traits>

#include "simt/warp.hpp"

namespace cooperative_groups::detail {

/// What one lane brings to an exchange, and what it takes away.
template <class T>
struct Moved {
  T mine;
  T received;
  unsigned source;
};

/// The value of lane `source`; undefined if it takes no part.
template <class T>
[[gnu::always_inline]] inline T from_lane(unsigned mask, const T& value, unsigned source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32,
                "a shuffle moves trivially copyable types of up to 32 bytes");
  Moved<T> part{value, value, source};
  simt::warp_rendezvous(
      mask,
      [](void* const* slots, unsigned) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          auto* to = static_cast<Moved<T>*>(slots[lane]);
          if (to == nullptr) continue;
          const auto* from = static_cast<const Moved<T>*>(slots[to->source % 32]);
          if (from != nullptr) {
            to->received = from->mine;
          } else {
            std::memset(static_cast<void*>(&to->received),
                        simt::absent_lane_byte(lane, to->source % 32), sizeof(T));
          }
        }
      },
      &part);
  return part.received;
}

/// What one lane brings to a reduction or a scan, and what it takes away.
template <class T, class Op>
struct Combined {
  T value;
  const Op* op;
};

/// Pairs of neighbours, then pairs of those: the order of the lanes is kept.
template <class T, class Op>
T reduce_lanes(unsigned mask, const T& value, const Op& op) {
  using Part = Combined<T, Op>;
  Part part{value, &op};
  simt::warp_rendezvous(
      mask,
      [](void* const* slots, unsigned) {
        Part* parts[32];
        unsigned count = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
          if (slots[lane] != nullptr) parts[count++] = static_cast<Part*>(slots[lane]);
        }
        for (unsigned step = 1; step < count; step *= 2) {
          for (unsigned i = 0; i + step < count; i += 2 * step) {
            parts[i]->value = (*parts[0]->op)(parts[i]->value, parts[i + step]->value);
          }
        }
        for (unsigned i = 1; i < count; ++i) parts[i]->value = parts[0]->value;
      },
      &part);
  return part.value;
}

/// Each lane's value combined with those of the lanes before it; with kExclusive without its own,
/// and T{} in the first.
template <bool kExclusive, class T, class Op>
T scan_lanes(unsigned mask, const T& value, const Op& op) {
  using Part = Combined<T, Op>;
  Part part{value, &op};
  simt::warp_rendezvous(
      mask,
      [](void* const* slots, unsigned) {
        bool first = true;
        T sum{};
        for (unsigned lane = 0; lane < 32; ++lane) {
          auto* here = static_cast<Part*>(slots[lane]);
          if (here == nullptr) continue;
          const T next = first ? here->value : (*here->op)(sum, here->value);
          here->value = kExclusive ? sum : next;
          sum = next;
          first = false;
        }
      },
      &part);
  return part.value;
}

}  // namespace cooperative_groups::detail
