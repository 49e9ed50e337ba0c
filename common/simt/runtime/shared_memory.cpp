#include "simt/shared_memory.hpp"

#include <algorithm>
#include <cstring>

#include "device_limits.hpp"
#include "observer.hpp"
#include "shared_use.hpp"
#include "worker.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t kVariableAlignment = 16;  // of every variable at least, for vector loads
constexpr std::size_t kLeastGap = 4096;

}  // namespace

std::size_t shared_space() { return observer() == nullptr ? kSharedCapacity : 8 * kSharedCapacity; }

std::byte* place_shared(Block& block, const void* site, std::size_t size, std::size_t alignment,
                        std::size_t counted) {
  const std::size_t multiple = alignment > kVariableAlignment ? alignment : kVariableAlignment;
  // An access past an array of its size and more meets a gap, and not the next array.
  const std::size_t gap =
      block.job->observer == nullptr ? 0 : std::max(kLeastGap, round_up(size, kLeastGap));
  const std::size_t offset = round_up(block.shared_used + gap, multiple);
  const std::size_t static_size = block.static_size + counted;
  // As on a GPU the launch is at fault: here it shows when a block comes to the declaration.
  if (exceeds_shared(*block.job->kernel, static_size, block.dynamic_size) ||
      offset + size > shared_space() || block.shared_count == kMaxSharedSlots) {
    block.job->refused.store(true);
    stop_kernel(block, cudaErrorInvalidValue,
                "simt: %s needs %zu bytes of static and %zu of dynamic shared memory; a block has "
                "%zu of both, and %zu where cudaFuncSetAttribute asks for them",
                describe(block).text, static_size, block.dynamic_size, kSharedPerBlock,
                kSharedOptIn);
  }
  std::byte* address = block.shared_memory + offset;
  std::memset(address, kUninitialised, size);
  block.shared_used = offset + size;
  block.shared_gaps += gap;
  block.static_size = static_size;
  block.shared_slots[block.shared_count++] = {site, address};
  if (Observer* watching = observer()) watching->placed_shared(block, address, size, alignment);
  return address;
}

void fill_dynamic_shared(Block& block) {
  std::memset(block.shared_memory, kUninitialised, block.dynamic_size);
  block.dynamic_filled = true;
}

void note_static_shared(const Block& block) {
  Relaxed<std::size_t>& known = block.job->kernel->static_shared;
  if (block.static_size > known) known.store(block.static_size);
}

std::size_t dynamic_limit(const KernelInfo& kernel) {
  if (kernel.requested_dynamic != KernelInfo::kNotAsked) return kernel.requested_dynamic;
  return kSharedPerBlock - std::min(kSharedPerBlock, kernel.static_shared.load());
}

bool exceeds_shared(const KernelInfo& kernel, std::size_t static_size, std::size_t dynamic_size) {
  if (static_size > kSharedPerBlock) return true;
  if (kernel.requested_dynamic == KernelInfo::kNotAsked) {
    return static_size + dynamic_size > kSharedPerBlock;
  }
  return dynamic_size > kernel.requested_dynamic || static_size + dynamic_size > kSharedOptIn;
}

}  // namespace simt::detail
