#include "simt/async_copy.hpp"

#include <vector>

#include "observer.hpp"

namespace simt::detail {

namespace {

/// The copies one thread has issued and not waited for, oldest first.
struct Queue {
  struct Entry {
    AsyncCopy copy;
    std::uint64_t group;
  };
  std::vector<Entry> copies;
  std::size_t first = 0;  ///< those before it are done
  std::uint64_t committed = 0;
  std::uint64_t bytes = 0;  ///< that these copies will write

  bool pop(AsyncCopy& copy) {
    copy = copies[first++].copy;
    if (Observer* watching = observer()) watching->async_copy_ends(copy.to);
    bytes -= copy.size;
    if (first == copies.size()) {
      copies.clear();
      first = 0;
    }
    return true;
  }
  void reset() {
    copies.clear();
    first = 0;
    committed = 0;
    bytes = 0;
  }
  bool empty() const { return first == copies.size(); }
};

struct BlockQueues {
  const Block* block = nullptr;
  std::uint64_t generation = 0;
  std::vector<Queue> threads;
};

/// One for each block that an OS thread has resident.
thread_local std::vector<BlockQueues> resident;

Queue& own_queue() {
  const Block* block = current_block;
  BlockQueues* found = nullptr;
  for (BlockQueues& entry : resident) {
    if (entry.block == block) found = &entry;
  }
  if (found == nullptr) found = &resident.emplace_back(BlockQueues{block, 0, {}});
  if (found->generation != block->generation || found->threads.size() < block->thread_count) {
    found->generation = block->generation;
    // The queues keep their memory from block to block.
    for (Queue& queue : found->threads) queue.reset();
    if (found->threads.size() < block->thread_count) found->threads.resize(block->thread_count);
  }
  return found->threads[linear_thread()];
}

void push(const AsyncCopy& copy, const void* site) {
  if (Observer* watching = observer()) watching->async_copy_begins(copy.to, copy.size, site);
  Queue& queue = own_queue();
  queue.copies.push_back({copy, queue.committed});
  queue.bytes += copy.size;
}

}  // namespace

std::uint64_t async_bytes_under_way() { return own_queue().bytes; }

void push_async(const AsyncCopy& copy) { push(copy, __builtin_return_address(0)); }

void push_async_as_aligned(const AsyncCopy& copy) {
  constexpr unsigned kWord = 4;
  const void* const site = __builtin_return_address(0);
  if (observer() == nullptr || !observer()->asks_for_alignment()) return push(copy, site);
  for (unsigned done = 0; done < copy.size; done += kWord) {
    push({static_cast<std::byte*>(copy.to) + done, static_cast<const std::byte*>(copy.from) + done,
          kWord, kWord},
         site);
  }
}

bool pop_async(AsyncCopy& copy, unsigned pending) {
  Queue& queue = own_queue();
  const std::uint64_t left =
      queue.empty() ? 0 : queue.committed - queue.copies[queue.first].group;  // groups
  return left > pending && queue.pop(copy);
}

bool pop_any_async(AsyncCopy& copy) {
  Queue& queue = own_queue();
  return !queue.empty() && queue.pop(copy);
}

void close_async() { ++own_queue().committed; }

}  // namespace simt::detail
