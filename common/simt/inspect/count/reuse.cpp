#include "reuse.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

namespace simt::inspect {
namespace {

/// Fills `parts`, neighbouring lanes of one sector in one part; returns how many there are.
unsigned parts_of(const Request& request, SectorPart (&parts)[kLanes]) {
  unsigned count = 0;
  for (unsigned i = 0; i < request.count; ++i) {
    const std::uintptr_t sector = request.addresses[i] / kSector;
    const auto bytes =
        static_cast<std::uint32_t>(((1ULL << request.size) - 1) << request.addresses[i] % kSector);
    if (count > 0 && parts[count - 1].sector == sector) {
      parts[count - 1].bytes |= bytes;
    } else {
      parts[count++] = {sector, bytes};
    }
  }
  return count;
}

/// Likewise, and each sector is in one part.
std::span<SectorPart> whole_parts_of(const Request& request, SectorPart (&parts)[kLanes]) {
  const unsigned count = parts_of(request, parts);
  const auto before = [](const SectorPart& a, const SectorPart& b) { return a.sector < b.sector; };
  if (!std::is_sorted(parts, parts + count, before)) std::sort(parts, parts + count, before);
  unsigned whole = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (whole > 0 && parts[whole - 1].sector == parts[i].sector) {
      parts[whole - 1].bytes |= parts[i].bytes;
    } else {
      parts[whole++] = parts[i];
    }
  }
  return {parts, whole};
}

std::uint32_t lanes_of(const Request& request) {
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < request.count; ++i) lanes |= 1U << request.lanes[i];
  return lanes;
}

}  // namespace

std::uint32_t MovedSectors::Mark::moved_before(Traffic traffic) const {
  const auto [loaded, stored, updated] = bytes;
  switch (traffic) {
    case Traffic::global_load:
      return loaded | stored | updated;
    case Traffic::global_store:
      return stored;
    default:
      return stored | updated;
  }
}

void MovedSectors::add(const Request& request, Traffic traffic, std::uint32_t block,
                       Counts& counts) {
  SectorPart parts[kLanes];  // lanes of one request are no repetition
  for (const SectorPart& part : whole_parts_of(request, parts)) {
    Mark& mark = moved_[part.sector];
    const std::uint32_t before = mark.moved_before(traffic);
    const std::uint32_t again = before & part.bytes;
    if (again != 0) {
      ++counts.repeated_sectors;
      if (mark.block == block) ++counts.repeated_in_block;
    } else if (before != 0) {
      ++counts.returned_sectors;
    }
    if (traffic == Traffic::global_store)
      counts.bytes_stored_again += static_cast<unsigned>(std::popcount(again));
    mark.bytes[static_cast<std::size_t>(traffic)] |= part.bytes;
    mark.block = block;
  }
}

void StorePieces::together(std::uint32_t lanes) {
  std::erase_if(open_, [lanes](const Store& store) {
    return (store.lanes & lanes) != 0 && (lanes & ~store.lanes) != 0;
  });
}

unsigned StorePieces::add(const Request& request, InstructionId id) {
  auto store = std::ranges::find(open_, id, &Store::id);
  if (request.count == kLanes) {
    if (store != open_.end()) open_.erase(store);
    return 0;
  }
  if (store == open_.end()) store = open_.insert(open_.end(), {id, 0, {}});
  const std::uint32_t lanes = lanes_of(request);
  if ((store->lanes & lanes) != 0) {  // they come again: another store
    store->lanes = 0;
    store->parts.clear();
  }
  store->lanes |= lanes;
  unsigned again = 0;
  SectorPart parts[kLanes];
  for (const SectorPart& part : whole_parts_of(request, parts)) {
    const auto known = std::ranges::find(store->parts, part.sector, &SectorPart::sector);
    if (known == store->parts.end()) {
      store->parts.push_back(part);
    } else {
      again += (known->bytes & part.bytes) == 0 ? 1 : 0;
      known->bytes |= part.bytes;
    }
  }
  return again;
}

void EdgeLoads::add(const Request& request, InstructionId id) {
  SectorPart storage[kLanes];
  const std::span<SectorPart> parts = whole_parts_of(request, storage);
  if (request.count <= kFewLanes) {
    for (const SectorPart& part : parts) of_few_.try_emplace(part.sector, id);
    return;
  }
  // Where the second of two runs begins; the end where there is one, 0 where there are more.
  std::size_t second = parts.size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].sector - parts[i - 1].sector == 1) continue;
    second = second == parts.size() ? i : 0;
  }
  const bool in_a_row = second == parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [sector, bytes] = parts[i];
    const bool at_end = i == 0 || i + 1 == parts.size() || i == second || i + 1 == second;
    const bool by_halves = in_a_row && request.size == kSector / 2 &&
                           std::popcount(bytes) == static_cast<int>(request.size);
    Loaded& before = of_warps_[sector];
    if (before.bytes != 0 && (before.bytes & bytes) == 0) {
      if (by_halves && before.by_halves) {
        ++halves_[before.id];
        ++halves_[id];
      } else if (second != 0 && at_end) {
        ++shared_[id];
      }
    }
    if (before.bytes == 0) before = {0, id, by_halves};
    before.bytes |= bytes;
  }
}

void EdgeLoads::count(std::vector<Counts>& counts) {
  for (const auto& [sector, id] : of_few_) {
    if (of_warps_.contains(sector)) ++counts[id].edge_sectors;
  }
  for (const auto& [id, sectors] : shared_) counts[id].edge_sectors += sectors;
  for (const auto& [id, halves] : halves_) counts[id].edge_sectors += halves / 2;
  *this = {};
}

}  // namespace simt::inspect
