#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "device_limits.hpp"
#include "observer.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t kHugePage = 2 * 1024 * 1024;
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kLarge = 64 * 1024 * 1024;  // worth asking the system before touching it

// The number after a key in a file like /proc/meminfo, or the file's only number for an empty key.
std::size_t read_number(const char* path, const std::string& key, std::size_t otherwise) {
  std::ifstream file(path);
  std::string word;
  if (key.empty()) {
    std::size_t number = 0;
    return file >> number ? number : otherwise;
  }
  while (file >> word) {
    if (word == key) {
      std::size_t number = 0;
      return file >> number ? number : otherwise;
    }
  }
  return otherwise;
}

std::size_t physical_memory() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const std::size_t physical = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min(physical, read_number("/sys/fs/cgroup/memory.max", "", physical));
}

std::size_t memory_left() {
  return read_number("/proc/meminfo", "MemAvailable:", SIZE_MAX / 1024) * 1024;
}

bool is_device_memory(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::managed;
}

bool is_allocation(MemoryKind kind) { return is_device_memory(kind) || kind == MemoryKind::pinned; }

std::uintptr_t first_page(const MemoryRange& range) { return range.base / kPage * kPage; }

std::size_t mapped_size(const MemoryRange& range) {
  return round_up(range.base + range.size, kPage) - first_page(range);
}

}  // namespace

Memory& Memory::instance() {
  // Never destroyed: static objects of the program may still free what they hold.
  static Memory& memory = *new Memory;
  return memory;
}

Memory::Memory() : total_(physical_memory()) {
  const char* poison = std::getenv("SIMT_POISON");
  poison_ = poison == nullptr || std::strcmp(poison, "0") != 0;
  // Many times what can be in use at once, so that addresses come back late, and room for sparse
  // memory whatever the machine has. An observer's notes are larger.
  constexpr std::size_t kRoom = std::size_t{4} << 40;
  const std::size_t spare = observer() != nullptr ? 2 : 16;
  const std::size_t most = std::max(kRoom, round_up(total_, kHugePage) * spare);
  for (std::size_t size = most; size >= kHugePage; size /= 2) {
    void* space =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) continue;
    begin_ = cursor_ = reinterpret_cast<std::uintptr_t>(space);
    end_ = begin_ + size;
    return;
  }
}

bool Memory::is_reserved(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value >= begin_ && value < end_;
}

// A place for pages, one inaccessible page included; 0 if there is none.
std::uintptr_t Memory::find_space(std::size_t pages_size, std::size_t alignment) {
  const std::uintptr_t fresh = round_up(cursor_, alignment);
  if (fresh + pages_size <= end_) {
    cursor_ = fresh + pages_size;
    return fresh;
  }
  cursor_ = end_;
  std::uintptr_t gap = begin_;
  for (const auto& [base, range] : ranges_) {
    if (base < begin_ || base >= end_) continue;
    const std::uintptr_t start = round_up(gap, alignment);
    if (start + pages_size <= first_page(range)) return start;
    gap = first_page(range) + mapped_size(range) + kPage;
  }
  const std::uintptr_t start = round_up(gap, alignment);
  return start + pages_size <= end_ ? start : 0;
}

void* Memory::allocate(std::size_t size, MemoryKind kind, unsigned flags, int device) {
  return told(reserve(size, kind, flags, device));
}

void* Memory::allocate_sparse(std::size_t size, bool zeros, int device) {
  return told(reserve_sparse(size, zeros, device));
}

void* Memory::told(const MemoryRange& range) {
  if (range.base == 0) return nullptr;
  if (Observer* watching = observer()) watching->allocated(range);
  return reinterpret_cast<void*>(range.base);
}

// Makes pages usable, with one behind them that is not.
bool Memory::open_pages(std::size_t pages, std::size_t alignment, std::uintptr_t& start) {
  start = find_space(pages + kPage, alignment);
  return start != 0 && mprotect(reinterpret_cast<void*>(start), pages, PROT_READ | PROT_WRITE) == 0;
}

// The new allocation, or a range of nothing.
MemoryRange Memory::reserve(std::size_t size, MemoryKind kind, unsigned flags, int device) {
  const std::lock_guard lock(mutex_);
  const bool on_device = is_device_memory(kind);
  if (size > total_ || (on_device && size > total_ - used_)) return {};
  if (size >= kLarge && size > memory_left()) return {};
  const std::size_t data = round_up(size, kAlignment);
  const std::size_t pages = round_up(data, kPage);
  const bool huge = pages >= kHugePage;
  std::uintptr_t start = 0;
  if (!open_pages(pages, huge ? kHugePage : kPage, start)) return {};
  if (huge) madvise(reinterpret_cast<void*>(start), pages, MADV_HUGEPAGE);
  const std::uintptr_t base = start + pages - data;
  if (poison_ && on_device) std::memset(reinterpret_cast<void*>(base), kUninitialised, size);
  ranges_[base] = {base, size, kind, device, flags, nullptr};
  if (on_device) used_ += data;
  return ranges_[base];
}

MemoryRange Memory::reserve_sparse(std::size_t size, bool zeros, int device) {
  const std::lock_guard lock(mutex_);
  const std::size_t data = round_up(size, kAlignment);
  const std::size_t pages = round_up(data, kPage);
  std::uintptr_t start = 0;
  if (size == 0 || !open_pages(pages, kPage, start)) return {};
  const std::uintptr_t base = start + pages - data;
  ranges_[base] = {base, size, MemoryKind::device, device, 0, nullptr, true, zeros};
  return ranges_[base];
}

// Maps nothing where an allocation was, which gives its memory back and makes its use a fault.
void Memory::release(std::map<std::uintptr_t, MemoryRange>::iterator range) {
  void* memory = reinterpret_cast<void*>(first_page(range->second));
  const std::size_t size = mapped_size(range->second);
  if (is_device_memory(range->second.kind) && !range->second.sparse)
    used_ -= round_up(range->second.size, kAlignment);
  constexpr int kNothing = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(memory, size, PROT_NONE, kNothing, -1, 0) == MAP_FAILED) {
    madvise(memory, size, MADV_DONTNEED);  // no more mappings: at least the memory is given back
  }
  ranges_.erase(range);
}

bool Memory::free(void* pointer, bool host) {
  MemoryRange freed;
  {
    const std::lock_guard lock(mutex_);
    const auto range = ranges_.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (range == ranges_.end() || !is_allocation(range->second.kind)) return false;
    if (host != (range->second.kind == MemoryKind::pinned)) return false;
    freed = range->second;
    release(range);
  }
  if (Observer* watching = observer()) watching->freed(freed);
  return true;
}

void Memory::free_device(int device) {
  std::vector<MemoryRange> freed;
  {
    const std::lock_guard lock(mutex_);
    for (auto range = ranges_.begin(); range != ranges_.end();) {
      const auto next = std::next(range);
      if (is_allocation(range->second.kind) && range->second.device == device) {
        freed.push_back(range->second);
        release(range);
      }
      range = next;
    }
  }
  for (const MemoryRange& range : freed) {
    if (Observer* watching = observer()) watching->freed(range);
  }
}

bool Memory::add(const MemoryRange& range) {
  const std::lock_guard lock(mutex_);
  auto next = ranges_.lower_bound(range.base);
  if (next != ranges_.end() && next->first < range.base + range.size) return false;
  if (next != ranges_.begin()) {
    const MemoryRange& before = std::prev(next)->second;
    if (before.base + before.size > range.base) return false;
  }
  ranges_.emplace_hint(next, range.base, range);
  return true;
}

bool Memory::remove(const void* base, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  const auto range = ranges_.find(reinterpret_cast<std::uintptr_t>(base));
  if (range == ranges_.end() || range->second.kind != kind) return false;
  ranges_.erase(range);
  return true;
}

std::optional<MemoryRange> Memory::find(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(value);
  if (next == ranges_.begin()) return std::nullopt;
  const MemoryRange& range = std::prev(next)->second;
  if (value >= range.base + range.size) return std::nullopt;
  return range;
}

std::vector<MemoryRange> Memory::ranges() {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryRange> all;
  for (const auto& [base, range] : ranges_) all.push_back(range);
  return all;
}

std::size_t Memory::available() {
  const std::lock_guard lock(mutex_);
  return total_ - used_;
}

const char* Memory::describe(const void* address) {
  static thread_local char text[128];
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  if (value < kPage) return "null pointer used";
  if (!is_reserved(address)) return "illegal memory access";
  const std::lock_guard lock(mutex_);
  const auto next = ranges_.upper_bound(value);
  if (next != ranges_.begin()) {
    const MemoryRange& range = std::prev(next)->second;
    const std::uintptr_t end = range.base + range.size;
    if (value < first_page(range) + mapped_size(range) + kPage) {
      std::snprintf(text, sizeof(text),
                    "out-of-bounds access %zu bytes past the end of an allocation of %zu bytes",
                    static_cast<std::size_t>(value - end), range.size);
      return text;
    }
  }
  return "access to device memory that was freed or never allocated";
}

const char* describe_address(const void* address) { return Memory::instance().describe(address); }

}  // namespace simt::detail
