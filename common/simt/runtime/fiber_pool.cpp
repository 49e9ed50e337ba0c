#include "fiber_pool.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "device_limits.hpp"
#include "fiber_switch.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t kPlainStack = 128 * 1024;
constexpr std::size_t kSanitizedStack = 512 * 1024;  // red zones make frames many times as large
// Equal places on all stacks fall into different cache sets, and neighbours far enough apart not to
// be taken for each other by their lowest 12 bits.
constexpr std::size_t kSkew = 1088;

constexpr unsigned kRegionStacks = 1024;  // a whole block at a constant distance
constexpr unsigned kGrowth = 64;          // stacks that are prepared at once: one word of bits

static_assert(FiberPool::kMostFibers > kMultiprocessors * kThreadsPerMultiprocessor);

// Linux 6.13: guard pages that cost no mapping of their own.
constexpr int kGuardInstall = 102;

std::size_t stack_pitch() { return (address_sanitizer() ? kSanitizedStack : kPlainStack) + kSkew; }

[[noreturn]] void give_up() {
  std::fprintf(stderr, "simt: no memory for the stacks of a block's threads\n");
  std::abort();
}

// The inaccessible page of a stack: the first whole page above its lowest address.
std::byte* guard_page(std::byte* bottom) {
  const auto address = reinterpret_cast<std::uintptr_t>(bottom);
  return reinterpret_cast<std::byte*>((address + kPage - 1) / kPage * kPage);
}

}  // namespace

FiberPool::~FiberPool() {
  for (Fiber* fiber : fibers_) release_fiber(*fiber);
  for (std::byte* region : regions_) munmap(region, kRegionStacks * stack_pitch());
}

std::byte* FiberPool::bottom(unsigned index) const {
  return regions_[index / kRegionStacks] + index % kRegionStacks * stack_pitch();
}

void FiberPool::grow() {
  const auto first = static_cast<unsigned>(fibers_.size());
  if (first == kMostFibers) give_up();
  if (first % kRegionStacks == 0) {
    const std::size_t size = kRegionStacks * stack_pitch();
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) give_up();
    madvise(memory, size, MADV_NOHUGEPAGE);
    regions_.push_back(static_cast<std::byte*>(memory));
  }
  for (unsigned i = first; i < first + kGrowth; ++i) {
    std::byte* guard = guard_page(bottom(i));
    // Without a guard an overflow would go unnoticed, but the program can run.
    if (madvise(guard, kPage, kGuardInstall) != 0) (void)mprotect(guard, kPage, PROT_NONE);
    std::byte* top = bottom(i) + stack_pitch() - sizeof(Fiber);
    top -= reinterpret_cast<std::uintptr_t>(top) % alignof(Fiber);
    fibers_.push_back(new (top) Fiber);
    prepare(i);
  }
}

void FiberPool::prepare(unsigned index) {
  Fiber* fiber = fibers_[index];
  std::byte* lowest = guard_page(bottom(index)) + kPage;
  auto* top = reinterpret_cast<std::byte*>(fiber);
  const auto size = static_cast<std::size_t>(top - lowest);
  if (address_sanitizer()) __asan_unpoison_memory_region(lowest, size);
  fiber->index = index;
  prepare_fiber(*fiber, top, size, entry_);
  give_back(fiber);
}

void FiberPool::reset() {
  for (unsigned i = 0; i < fibers_.size(); ++i) prepare(i);
}

Fiber* FiberPool::find(const void* address) const {
  for (std::size_t region = 0; region < regions_.size(); ++region) {
    const std::byte* begin = regions_[region];
    if (address < begin || address >= begin + kRegionStacks * stack_pitch()) continue;
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin);
    return fibers_[region * kRegionStacks + offset / stack_pitch()];
  }
  return nullptr;
}

bool FiberPool::is_guard(const void* address) const {
  for (unsigned i = 0; i < fibers_.size(); ++i) {
    const std::byte* guard = guard_page(bottom(i));
    if (address >= guard && address < guard + kPage) return true;
  }
  return false;
}

}  // namespace simt::detail
