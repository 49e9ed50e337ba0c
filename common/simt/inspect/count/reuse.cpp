#include "reuse.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

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

/// Forgets what some of the lanes have done and others have not: they go on together.
template <class Done>
void close_joined(std::vector<Done>& open, std::uint32_t lanes) {
  std::erase_if(open, [lanes](const Done& done) {
    return (done.lanes & lanes) != 0 && (lanes & ~done.lanes) != 0;
  });
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

void StorePieces::together(std::uint32_t lanes) { close_joined(open_, lanes); }

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

void JoinedLoads::together(std::uint32_t lanes) { close_joined(open_, lanes); }

unsigned JoinedLoads::add(const Request& request, InstructionId id, std::uint32_t line) {
  const std::uint32_t lanes = lanes_of(request);
  const std::uintptr_t address = request.addresses[0];
  const bool alike = request.count > 1 &&
                     std::all_of(request.addresses, request.addresses + request.count,
                                 [address](std::uintptr_t other) { return other == address; });
  const Member before = std::exchange(last_, alike ? Member{line, lanes, address} : Member{});
  if (line == 0) return 0;
  if (alike && before.line == line && before.lanes == lanes && before.address != address &&
      before.address / kSector == address / kSector) {
    return 1;
  }
  if (request.count == kLanes) {
    std::erase_if(open_, [id](const Load& load) { return load.id == id; });
    return 0;
  }
  SectorPart storage[kLanes];
  const std::span<SectorPart> parts = whole_parts_of(request, storage);
  const auto moved = [&](const SectorPart& part) {
    return std::ranges::any_of(open_, [&](const Load& load) {
      return load.line == line && (load.lanes & lanes) == 0 &&
             std::ranges::find(load.sectors, part.sector) != load.sectors.end();
    });
  };
  const auto again = static_cast<unsigned>(std::ranges::count_if(parts, moved));
  auto own = std::ranges::find(open_, id, &Load::id);
  if (own == open_.end()) own = open_.insert(open_.end(), {id, line, 0, {}});
  if ((own->lanes & lanes) != 0) {  // they come again: another load
    own->lanes = 0;
    own->sectors.clear();
  }
  own->lanes |= lanes;
  for (const SectorPart& part : parts) own->sectors.push_back(part.sector);
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
