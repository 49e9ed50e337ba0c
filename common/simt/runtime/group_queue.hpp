/// @file
/// What threads have started and not waited for, in groups that they close, for watched kernels.
#ifndef SIMT_RUNTIME_GROUP_QUEUE_HPP
#define SIMT_RUNTIME_GROUP_QUEUE_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "pending_read.hpp"
#include "simt/collective.hpp"

namespace simt::detail {

/// Of one thread, oldest first.
template <class Item>
class GroupQueue {
 public:
  void push(Item item) { entries_.push_back({std::move(item), closed_}); }
  /// Closes the open group.
  void close() { ++closed_; }
  /// Takes the oldest out of the groups that are closed but for the `pending` latest ones.
  bool pop(Item& item, std::uint64_t pending) {
    return !empty() && closed_ - entries_[first_].group > pending && pop_any(item);
  }
  /// Takes the oldest, whatever its group.
  bool pop_any(Item& item) {
    if (empty()) return false;
    item = std::move(entries_[first_++].item);
    if (first_ == entries_.size()) {
      entries_.clear();
      first_ = 0;
    }
    return true;
  }
  void reset() { *this = {}; }
  bool empty() const { return first_ == entries_.size(); }
  template <class Visit>
  void visit(Visit visit) const {
    for (std::size_t i = first_; i < entries_.size(); ++i) visit(entries_[i].item);
  }
  template <class Visit>
  void visit(Visit visit) {
    for (std::size_t i = first_; i < entries_.size(); ++i) visit(entries_[i].item);
  }

 private:
  struct Entry {
    Item item;
    std::uint64_t group;
  };
  std::vector<Entry> entries_;
  std::size_t first_ = 0;  ///< those before it are done
  std::uint64_t closed_ = 0;
};

template <class Item>
struct BlockQueues {
  const Block* block;
  std::uint64_t generation;
  std::vector<GroupQueue<Item>> threads;
};

/// One for each block that an OS thread has resident.
template <class Item>
std::vector<BlockQueues<Item>>& resident_queues() {
  thread_local std::vector<BlockQueues<Item>> resident;
  return resident;
}

/// Of a block, or null if none of its threads has started anything.
template <class Item>
BlockQueues<Item>* find_queues(const Block* block) {
  for (BlockQueues<Item>& entry : resident_queues<Item>()) {
    if (entry.block == block) return &entry;
  }
  return nullptr;
}

/// The running thread's.
template <class Item>
GroupQueue<Item>& own_queue() {
  const Block* const block = current_block;
  BlockQueues<Item>* found = find_queues<Item>(block);
  if (found == nullptr)
    found = &resident_queues<Item>().emplace_back(BlockQueues<Item>{block, 0, {}});
  if (found->generation != block->generation || found->threads.size() < block->thread_count) {
    found->generation = block->generation;
    for (GroupQueue<Item>& queue : found->threads) queue.reset();
    if (found->threads.size() < block->thread_count) found->threads.resize(block->thread_count);
  }
  return found->threads[linear_thread()];
}

/// The first that a thread of a block has not waited for.
template <class Item>
LeftOver left_over(const Block& block) {
  LeftOver found{0, nullptr};
  const BlockQueues<Item>* const queues = find_queues<Item>(&block);
  if (queues == nullptr || queues->generation != block.generation) return found;
  for (unsigned thread = 0; thread < block.thread_count && found.site == nullptr; ++thread) {
    queues->threads[thread].visit([&](const Item& item) {
      if (found.site == nullptr) found = {thread, item.site()};
    });
  }
  return found;
}

}  // namespace simt::detail

#endif
