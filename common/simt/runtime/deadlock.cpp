#include <cstdio>
#include <string>
#include <vector>

#include "mbarrier_state.hpp"
#include "observer.hpp"
#include "shared_use.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt::detail {

namespace {

// Adds "; 3 threads wait at WHAT, the first is (0,0,0)".
void add_waiters(std::string& text, unsigned count, const ParkedThread* first, const char* what) {
  if (count == 0) return;
  const uint3 thread = first->thread_idx;
  char line[400];
  std::snprintf(line, sizeof(line), "; %u %s at %s, the first is thread (%u,%u,%u)", count,
                count == 1 ? "thread waits" : "threads wait", what, thread.x, thread.y, thread.z);
  text += line;
}

void add_waiters(std::string& text, const ParkedList& queue, const char* what) {
  unsigned count = 0;
  for (const ParkedThread* thread = queue.front(); thread != nullptr; thread = thread->next)
    ++count;
  add_waiters(text, count, queue.front(), what);
}

/// "wgmma.fence, which all four warps of a warpgroup have to execute (all but warp 3 have come)"
std::string describe_warpgroup(const Block& block, const NamedQueue& queue) {
  return std::string(queue.warpgroup) +
         ", which all four warps of a warpgroup have to execute (all but " +
         absent_warps(block, queue) + " have come)";
}

/// "the mbarrier at byte 64 of shared memory, whose phase of parity 0 lacks 1 arrival of 128 and
/// 4096 bytes"
std::string describe_mbarrier(const Block& block, const void* key) {
  const BarrierState state = BarrierState::at(key);
  char line[320];
  const bool too_many = state.bytes < 0;
  std::snprintf(
      line, sizeof(line),
      too_many
          ? "the mbarrier at %s for its phase of parity %u, where %u of %u arrivals are missing "
            "and %lld bytes more have come than were announced"
          : "the mbarrier at %s for its phase of parity %u, where %u of %u arrivals and %lld bytes "
            "are missing",
      describe_shared(block, key).text, state.parity, state.missing, state.expected,
      static_cast<long long>(too_many ? -state.bytes : state.bytes));
  return line;
}

}  // namespace

SharedPlace describe_shared(const Block& block, const void* address) {
  SharedPlace place;
  const auto offset = static_cast<const std::byte*>(address) - block.shared_memory;
  if (offset < 0 || offset >= static_cast<std::ptrdiff_t>(shared_space())) {
    std::snprintf(place.text, sizeof(place.text), "%p, outside of its shared memory", address);
  } else {
    const Observer* const watching = observer();
    const std::string name = watching != nullptr ? watching->name_of(address) : "";
    std::snprintf(place.text, sizeof(place.text), "%.80s%sbyte %td of its shared memory",
                  name.c_str(), name.empty() ? "" : ", ", offset);
  }
  return place;
}

std::string absent_warps(const Block& block, const NamedQueue& warpgroup) {
  constexpr unsigned kWarps = 4;
  unsigned came[kWarps] = {}, first = 0;
  for (const ParkedThread* one = warpgroup.waiters.front(); one != nullptr; one = one->next) {
    const uint3 at = one->thread_idx;
    const unsigned warp = (at.x + block.dim.x * (at.y + block.dim.y * at.z)) / kWarpSize;
    first = warp / kWarps * kWarps;
    ++came[warp % kWarps];
  }
  std::vector<std::string> absent;
  for (unsigned i = 0; i < kWarps; ++i) {
    if (came[i] < kWarpSize) absent.push_back(std::to_string(first + i));
  }
  std::string text = absent.size() == 1 ? "warp " : "warps ";
  for (std::size_t i = 0; i < absent.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == absent.size() ? " and " : ", ") + absent[i];
  }
  return text;
}

void report_deadlock(const Block& block) {
  std::string text;
  add_waiters(text, block.barrier_waiters.size(), block.barrier_waiters.front(), "__syncthreads");
  for (unsigned warp = 0; warp < kMaxThreads / kWarpSize; ++warp) {
    for (const WarpGroup* group = block.warps[warp].pending; group != nullptr;
         group = group->next) {
      char what[128];
      std::snprintf(what, sizeof(what), "a collective of warp %u with mask 0x%08x (0x%08x came)",
                    warp, group->mask, group->arrived);
      add_waiters(text, group->count, group->waiters[0], what);
    }
  }
  for (const NamedQueue* queue = block.named; queue != nullptr; queue = queue->next) {
    const std::string what = queue->warpgroup != nullptr   ? describe_warpgroup(block, *queue)
                             : queue->at_mbarrier          ? describe_mbarrier(block, queue->key)
                             : queue->key == block.cluster ? "a barrier of the cluster"
                                                           : "a named barrier";
    add_waiters(text, queue->waiters, what.c_str());
  }
  add_waiters(text, block.grid_waiters, "a grid barrier");
  std::fprintf(stderr, "simt: deadlock in %s%s\n", describe(block).text, text.c_str());
}

void report_polling(const Block& block, std::uint64_t unstarted) {
  std::string why = "and no other thread writes what it waits for";
  if (unstarted != 0) {
    why =
        "as do all blocks that have started, and " + std::to_string(unstarted) +
        " have not; blocks start in any order, as many at a time as fit on the device, so a block "
        "may wait only for blocks that started before it (number them with atomicAdd as they "
        "start), or all must be resident (cudaLaunchCooperativeKernel)";
  }
  std::fprintf(stderr, "simt: deadlock in %s: it waits in a loop, %s\n", describe(block).text,
               why.c_str());
}

}  // namespace simt::detail
