#include "simt/shared_memory.hpp"

#include <algorithm>
#include <cstring>

#include "device_limits.hpp"
#include "observer.hpp"
#include "shared_use.hpp"
#include "worker.hpp"

namespace simt::detail {

namespace {

constexpr int kUninitialised = 0xFF;
constexpr std::size_t kAlignment = 16;  // of every variable at least, for vector loads
constexpr std::size_t kLeastGap = 4096;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

std::size_t shared_space() { return observer() == nullptr ? kSharedCapacity : 8 * kSharedCapacity; }

std::byte* place_shared(Block& block, const void* site, std::size_t size, std::size_t alignment) {
  const std::size_t multiple = alignment > kAlignment ? alignment : kAlignment;
  // An access past an array of its size and more meets a gap, and not the next array.
  const std::size_t gap =
      block.job->observer == nullptr ? 0 : std::max(kLeastGap, round_up(size, kLeastGap));
  const std::size_t offset = round_up(block.shared_used + gap, multiple);
  const std::size_t used = offset + size - block.shared_gaps - gap;
  const std::size_t used_statically = used - block.dynamic_size;
  if (used > kSharedOptIn || offset + size > shared_space() ||
      used_statically > kSharedPerBlock + kAlignment * kMaxSharedSlots ||
      block.shared_count == kMaxSharedSlots) {
    stop_kernel(block, cudaErrorLaunchOutOfResources,
                "simt: %s needs %zu bytes of static and %zu of dynamic shared memory; a block has "
                "%zu and %zu in all",
                describe(block).text, used_statically, block.dynamic_size, kSharedPerBlock,
                kSharedOptIn);
  }
  std::byte* address = block.shared_memory + offset;
  std::memset(address, kUninitialised, size);
  block.shared_used = offset + size;
  block.shared_gaps += gap;
  block.shared_slots[block.shared_count++] = {site, address};
  if (Observer* watching = observer()) watching->placed_shared(block, address, size);
  return address;
}

void fill_dynamic_shared(Block& block) {
  std::memset(block.shared_memory, kUninitialised, block.dynamic_size);
  block.dynamic_filled = true;
}

void note_static_shared(const Block& block) {
  const std::size_t used = block.shared_used - block.shared_gaps - block.dynamic_size;
  std::atomic<std::size_t>& known = block.job->kernel->static_shared;
  if (used > known.load(std::memory_order_relaxed)) known.store(used, std::memory_order_relaxed);
}

}  // namespace simt::detail
