#include "global_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace simt::inspect {
namespace {

/// To mark more would touch more memory than most programs use.
constexpr std::size_t kMostMarked = std::size_t{64} << 20;

/// What a word of new memory holds that the host may write unseen: another value, and it has.
std::uint32_t mark_of(std::uintptr_t word) {
  return static_cast<std::uint32_t>((word * 0x9E3779B97F4A7C15U) >> 32) | 1U;
}

/// Allocations are padded: the last word is whole.
void mark(const detail::MemoryRange& range) {
  for (std::size_t done = 0; done < range.size; done += sizeof(std::uint32_t)) {
    const std::uintptr_t word = range.base + done;
    *reinterpret_cast<std::uint32_t*>(word) = mark_of(word);
  }
}

/// Does one of these ranges, by their addresses, hold an address?
bool holds(const std::map<std::uintptr_t, std::size_t>& ranges, std::uintptr_t address) {
  const auto after = ranges.upper_bound(address);
  return after != ranges.begin() && address - std::prev(after)->first < std::prev(after)->second;
}

}  // namespace

void GlobalMemory::cover(std::uintptr_t begin, std::size_t size) {
  begin_ = begin;
  size_ = size;
  written_.cover(begin, size);
}

void GlobalMemory::allocated(const detail::MemoryRange& range,
                             std::optional<std::vector<void*>> calls) {
  const bool for_host =
      range.kind == detail::MemoryKind::managed || range.kind == detail::MemoryKind::pinned;
  const bool is_marked = calls && for_host && range.size <= kMostMarked;
  if (is_marked) mark(range);
  written_.set(range.base, range.size, range.kind != detail::MemoryKind::device && !is_marked);
  forget_bounds();
  freed_.erase(range.base);
  if (range.zeros) zeros_[range.base] = range.size;
  if (!calls) return;
  Allocation& allocation = allocations_[range.base];
  allocation = {range.size, range.kind == detail::MemoryKind::pinned, *std::move(calls)};
  allocation.is_marked = is_marked;
}

void GlobalMemory::freed(const detail::MemoryRange& range) {
  forget_bounds();
  freed_[range.base] = range.size;
  zeros_.erase(range.base);
  allocations_.erase(range.base);
}

bool GlobalMemory::was_freed(std::uintptr_t address) const { return holds(freed_, address); }

void GlobalMemory::set_bounds(std::uintptr_t base, std::size_t before, std::size_t behind) {
  const auto found = allocations_.find(base);
  if (found == allocations_.end()) return;
  found->second.before = before;
  found->second.behind = behind;
  forget_bounds();
}

void GlobalMemory::forget_bounds() { std::fill(std::begin(bounds_), std::end(bounds_), Bounds{}); }

std::optional<detail::MemoryRange> GlobalMemory::usable_at(std::uintptr_t address) const {
  auto range = detail::Memory::instance().find(reinterpret_cast<void*>(address));
  if (!range) return std::nullopt;
  if (const auto found = allocations_.find(range->base); found != allocations_.end()) {
    const Allocation& allocation = found->second;
    range->base += allocation.before;
    range->size -= std::min(range->size, allocation.before + allocation.behind);
  }
  if (address - range->base >= range->size) return std::nullopt;
  return range;
}

bool GlobalMemory::in_bounds(std::uintptr_t address, std::size_t size) {
  Bounds& bounds = bounds_[address / kPage % kBoundsCount];
  if (bounds.page != address / kPage) {
    bounds = {};
    const auto range = usable_at(address);
    if (!range) return false;
    bounds = {address / kPage, range->base, range->base + range->size,
              range->kind != detail::MemoryKind::device};
  }
  return address >= bounds.begin && address + size <= bounds.end;
}

Allocation* GlobalMemory::allocation_at(std::uintptr_t address) {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  auto& [base, allocation] = *std::prev(after);
  return address - base < allocation.size ? &allocation : nullptr;
}

void GlobalMemory::host_writes(std::uintptr_t address, std::size_t size) {
  written_.set(address, size, true);
  if (Allocation* const allocation = allocation_at(address)) allocation->filled_by_host = true;
}

void GlobalMemory::first_write(std::uintptr_t address, unsigned size) {
  written_.set_few(address, size);
  if (Allocation* const allocation = allocation_at(address)) allocation->filled_by_kernel = true;
}

/// The same from the first on of which nothing told.
std::size_t GlobalMemory::first_missing(std::uintptr_t address, std::size_t size,
                                        std::size_t first) {
  if (is_zeros(address + first)) return size;
  while (first != size && host_has_written(address + first)) {
    first += written_.first_unwritten_in(address + first, size - first);
  }
  return first;
}

bool GlobalMemory::is_zeros(std::uintptr_t address) const { return holds(zeros_, address); }

/// Has the host written this byte, of which nothing told?
bool GlobalMemory::host_has_written(std::uintptr_t address) {
  Allocation* const allocation = allocation_at(address);
  if (allocation == nullptr || !allocation->is_marked) return false;
  const std::uintptr_t word = address & ~(sizeof(std::uint32_t) - 1);
  if (*reinterpret_cast<const std::uint32_t*>(word) == mark_of(word)) return false;
  written_.set(word, sizeof(std::uint32_t), true);
  allocation->filled_by_host = true;
  return true;
}

}  // namespace simt::inspect
