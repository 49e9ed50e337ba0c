// What the words of memory remember of the accesses to them, and what races with a new one.
//
// The rule is that of CUDA's memory model. Two accesses of which one writes race unless both are
// volatile or atomic, in a scope that both threads are in, or one is ordered before the other. An
// atomic access orders nothing by itself, whatever its value is used for, but what stood before a
// fence (synchronisation.cpp). So a plain access is compared with the atomic ones of all other
// threads, and an atomic one with the plain ones, however many atomics came between the two.
#include <algorithm>
#include <iterator>
#include <span>

#include "checker.hpp"
#include "sites.hpp"

namespace simt::inspect {
namespace {

using detail::kWarpSize;

bool same_thread(const Stamp& a, const Stamp& b) {
  return a.block == b.block && a.thread == b.thread;
}

/// With nothing between that others may have waited for.
bool same_stretch(const Stamp& a, const Stamp& b) {
  return same_thread(a, b) && a.epoch == b.epoch && a.clock == b.clock;
}

/// How much an access that is remembered tells beside `now`: of another block it may race with what
/// is ordered after `now`, of the same warp most likely not.
int worth(const StrongUse& use, const Stamp& now, unsigned mask) {
  if (use.mask == 0) return -1;
  const int other_bytes = (use.mask & ~mask) != 0 ? 4 : 0;
  if (use.stamp.block != now.block) return other_bytes + 3;
  if (use.stamp.epoch != now.epoch || same_thread(use.stamp, now)) return other_bytes;
  return other_bytes + (use.stamp.thread / kWarpSize != now.thread / kWarpSize ? 2 : 1);
}

/// Does whatever races with `before`, and is ordered after the later access, race with that, too?
bool stands_for(Strength later, Strength before) {
  return later == before || before == Strength::atomic;
}

}  // namespace

/// Compares an access with what the word remembers, and remembers it.
void Checker::note(Shadow& shadow, std::uintptr_t word, const Stamp& now, const Place& place) {
  Cell& cell = shadow.cell(word);
  const unsigned mask = mask_of(word, place);
  if ((cell.write_mask & mask) != 0) compare_writes(shadow, word, mask, now, place);
  if (cell.has_strong) compare_strong(shadow.strong(word), mask, now, place);
  if (!is_read(place.kind)) compare_reads(shadow, word, mask, now, place);
  if (place.strength != Strength::plain) {
    remember_strong(shadow, word, mask, now, place);
  } else if (is_read(place.kind)) {
    // In shared memory such units' reads end when they are waited for: async_read_ends.
    if (!in_async_proxy_ || &shadow == &device_) remember_read(shadow, word, mask, now);
  } else {
    remember_write(shadow, word, mask, now);
  }
}

void Checker::compare_writes(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now,
                             const Place& place) {
  const Cell& cell = shadow.cell(word);
  if (!cell.apart) {
    if (!ordered(cell.write, now)) conflict(cell.write, Strength::plain, true, place, now);
    return;
  }
  const ByteWrites& bytes = shadow.bytes(word);
  for (unsigned left = mask & cell.write_mask; left != 0; left &= left - 1) {
    const Stamp& write = bytes.write[__builtin_ctz(left)];
    if (!ordered(write, now)) return conflict(write, Strength::plain, true, place, now);
  }
}

void Checker::compare_strong(const StrongUses& uses, unsigned mask, const Stamp& now,
                             const Place& place) {
  for (const StrongUse& use : uses.writes) {
    if ((use.mask & mask) == 0 || ordered(use.stamp, now)) continue;
    conflict(use.stamp, use.strength, true, place, now);
  }
  if (is_read(place.kind)) return;
  for (const StrongUse& use : uses.reads) {
    if ((use.mask & mask) == 0 || ordered(use.stamp, now)) continue;
    conflict(use.stamp, use.strength, false, place, now);
  }
}

void Checker::compare_reads(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now,
                            const Place& place) {
  Cell& cell = shadow.cell(word);
  for (int i = 0; i < 2; ++i) {
    if ((cell.read_masks[i] & mask) == 0) continue;
    // The thread only guessed the old value.
    const bool guessed = place.kind == Access::atomic_compare && same_thread(cell.reads[i], now) &&
                         cell.reads[i].epoch == now.epoch;
    if (!ordered(cell.reads[i], now)) conflict(cell.reads[i], Strength::plain, false, place, now);
    if (place.strength == Strength::plain || guessed) {
      cell.read_masks[i] &= static_cast<std::uint8_t>(~mask);
    }
  }
  if (!cell.has_far) return;
  FarRead& far = shadow.far_read(word);
  if ((far.mask & mask) == 0) return;
  if (!ordered(far.stamp, now)) conflict(far.stamp, Strength::plain, false, place, now);
  if (place.strength == Strength::plain) far.mask &= static_cast<std::uint8_t>(~mask);
  cell.has_far = far.mask != 0;
}

void Checker::remember_read(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now) {
  Cell& cell = shadow.cell(word);
  if (!same_thread(cell.reads[0], now)) {
    // Of the earlier readers one of another warp tells more than one of this.
    const Stamp& kept = cell.reads[1];
    const bool keep =
        cell.read_masks[1] != 0 && kept.block == now.block && kept.epoch == now.epoch &&
        kept.thread / kWarpSize != now.thread / kWarpSize && cell.reads[0].block == now.block &&
        cell.reads[0].thread / kWarpSize == now.thread / kWarpSize;
    if (!keep) {
      // One of another block may race with what this block's reads are ordered before.
      const bool is_far = cell.read_masks[1] != 0 && kept.block != now.block &&
                          cell.reads[0].block == now.block && !ordered(kept, now);
      if (is_far) {
        shadow.far_read(word) = {kept, cell.read_masks[1]};
        cell.has_far = true;
      }
      cell.reads[1] = cell.reads[0];
      cell.read_masks[1] = cell.read_masks[0];
    }
  }
  if (!same_stretch(cell.reads[0], now)) cell.read_masks[0] = 0;
  cell.reads[0] = now;
  cell.read_masks[0] |= static_cast<std::uint8_t>(mask);
}

void Checker::remember_write(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now) {
  Cell& cell = shadow.cell(word);
  const bool others = (cell.write_mask & ~mask) != 0 && !same_stretch(cell.write, now);
  if ((cell.write_mask & ~mask) == 0) {
    cell.apart = false;
  } else if (others && !cell.apart) {
    cell.apart = true;
    ByteWrites& bytes = shadow.bytes(word);
    std::fill(std::begin(bytes.write), std::end(bytes.write), cell.write);
  }
  if (cell.apart) {
    ByteWrites& bytes = shadow.bytes(word);
    for (unsigned left = mask; left != 0; left &= left - 1) {
      bytes.write[__builtin_ctz(left)] = now;
    }
  }
  cell.write_mask |= static_cast<std::uint8_t>(mask);
  cell.write = now;
  if (cell.has_strong) {
    // An access that races with one of them, and not with this write, has been reported.
    StrongUses& uses = shadow.strong(word);
    const auto forget = [&](StrongUse& use) { use.mask &= static_cast<std::uint8_t>(~mask); };
    std::for_each(std::begin(uses.writes), std::end(uses.writes), forget);
    std::for_each(std::begin(uses.reads), std::end(uses.reads), forget);
  }
}

void Checker::remember_strong(Shadow& shadow, std::uintptr_t word, unsigned mask, const Stamp& now,
                              const Place& place) {
  Cell& cell = shadow.cell(word);
  StrongUses& uses = shadow.strong(word);
  if (!cell.has_strong) uses = {};
  cell.has_strong = true;
  const std::span<StrongUse> kept =
      is_read(place.kind) ? std::span<StrongUse>(uses.reads) : std::span<StrongUse>(uses.writes);
  for (StrongUse& use : kept) {
    if ((use.mask & mask) != 0 && stands_for(place.strength, use.strength) &&
        ordered(use.stamp, now)) {
      use.mask &= static_cast<std::uint8_t>(~mask);
    }
  }
  StrongUse& least = *std::min_element(kept.begin(), kept.end(), [&](const auto& a, const auto& b) {
    return worth(a, now, mask) < worth(b, now, mask);
  });
  least = {now, static_cast<std::uint8_t>(mask), place.strength};
}

}  // namespace simt::inspect
