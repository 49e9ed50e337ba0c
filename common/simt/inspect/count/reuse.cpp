#include "reuse.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>

namespace simt::inspect {
namespace {

/// Calls visit(sector) for the sectors of a request, each once where its lanes are in order.
template <class Visit>
void for_each_sector(const Request& request, Visit visit) {
  std::uintptr_t next = 0;  // neighbours share sectors, as a rule
  for (unsigned i = 0; i < request.count; ++i) {
    const std::uintptr_t begin = request.addresses[i] / kSector;
    const std::uintptr_t end = (request.addresses[i] + request.size - 1) / kSector + 1;
    for (std::uintptr_t sector = begin + 1 == next ? next : begin; sector < end; ++sector) {
      visit(sector);
    }
    next = end;
  }
}

/// The bytes of a sector that a request's lanes use, a bit for each.
struct Part {
  std::uintptr_t sector;
  std::uint32_t bytes;
};

/// Fills `parts`, neighbouring lanes of one sector in one part; returns how many there are.
unsigned parts_of(const Request& request, Part (&parts)[kLanes]) {
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

}  // namespace

void MovedSectors::add(const Request& request, Traffic traffic, std::uint32_t block,
                       Counts& counts) {
  const bool loads = traffic == Traffic::global_load;
  const std::uint8_t before = loads ? loaded | stored : stored;
  Mark* marks[4 * kLanes];  // marked at the end: lanes of one request are no repetition
  unsigned count = 0;
  for_each_sector(request, [&](std::uintptr_t sector) {
    Mark& mark = moved_[sector];
    if (count < std::size(marks)) marks[count++] = &mark;
  });
  std::sort(marks, marks + count);
  const auto* const end = std::unique(marks, marks + count);
  for (auto* const* mark = marks; mark != end; ++mark) {
    auto& [moved, last] = **mark;
    if ((moved & before) != 0) {
      ++counts.repeated_sectors;
      if (last == block) ++counts.repeated_in_block;
    }
    moved |= loads ? loaded : stored;
    last = block;
  }
  if (traffic != Traffic::global_store) return;
  Part parts[kLanes];
  const unsigned part_count = parts_of(request, parts);
  for (unsigned i = 0; i < part_count; ++i) {
    std::uint32_t& bytes = stored_[parts[i].sector];
    counts.bytes_stored_again += static_cast<unsigned>(std::popcount(bytes & parts[i].bytes));
    bytes |= parts[i].bytes;
  }
}

void EdgeLoads::add(const Request& request, InstructionId id) {
  Part parts[kLanes];
  const unsigned count = parts_of(request, parts);
  if (request.count <= kFewLanes) {
    for (const Part& part : std::span(parts, count)) of_few_.try_emplace(part.sector, id);
    return;
  }
  const auto by_sector = [](const Part& a, const Part& b) { return a.sector < b.sector; };
  const auto [first, last] = std::minmax_element(parts, parts + count, by_sector);
  const bool in_a_row = last->sector - first->sector == count - 1;
  for (const Part& part : std::span(parts, count)) {
    const bool at_end = part.sector == first->sector || part.sector == last->sector;
    std::uint32_t& before = of_warps_[part.sector];
    if (in_a_row && at_end && before != 0 && (before & part.bytes) == 0) ++shared_[id];
    before |= part.bytes;
  }
}

void EdgeLoads::count(std::vector<Counts>& counts) {
  for (const auto& [sector, id] : of_few_) {
    if (of_warps_.contains(sector)) ++counts[id].edge_sectors;
  }
  for (const auto& [id, sectors] : shared_) counts[id].edge_sectors += sectors;
  *this = {};
}

}  // namespace simt::inspect
