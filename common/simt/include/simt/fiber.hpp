/// @file
/// Fibers: stacks that simulated threads run on, and the places where threads continue.
#ifndef SIMT_FIBER_HPP
#define SIMT_FIBER_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "vector_types.h"

namespace simt::detail {

/// A thread that waits: where it continues. It lies in the frame of the function that waits, next
/// to the registers that function saved, so that going on touches few cache lines.
struct ParkedThread {
  // The switch knows these three by their offsets.
  void* stack_pointer;
  void* frame_pointer;
  void* resume_address;

  ParkedThread* next;  ///< in whichever list it waits
  uint3 thread_idx;
  const void* site = nullptr;  ///< where the call that waits returns to
};

/// One stack.
struct alignas(64) Fiber {
  ParkedThread start{};  ///< where an idle fiber continues when it is taken
  unsigned index = 0;    ///< among the stacks of its worker

  // For AddressSanitizer, which has to be told of every change of stack; ucontext_t elsewhere.
  void* fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_size = 0;
  void* portable_context = nullptr;
};

/// A first-in, first-out list; a thread stands in one list at a time.
class ParkedList {
 public:
  bool empty() const { return head_ == nullptr; }

  void push(ParkedThread* thread) {
    thread->next = nullptr;
    if (head_ == nullptr) {
      head_ = thread;
    } else {
      tail_->next = thread;
    }
    tail_ = thread;
  }

  /// The longest waiting thread, or null.
  ParkedThread* pop() {
    ParkedThread* thread = head_;
    if (thread != nullptr) head_ = thread->next;
    return thread;
  }

  void clear() { head_ = nullptr; }
  const ParkedThread* front() const { return head_; }

 private:
  ParkedThread* head_ = nullptr;
  ParkedThread* tail_ = nullptr;
};

/// A first-in, first-out queue for all threads of a block. It is an array, which processors fetch
/// ahead, where a list would have to be followed.
class ParkedQueue {
 public:
  ParkedQueue() { clear(); }

  bool empty() const { return first_ == end_; }
  unsigned size() const { return static_cast<unsigned>(end_ - first_); }

  void push(ParkedThread* thread) {
    if (end_ == items_.get() + kCapacity) [[unlikely]]
      make_room();
    *end_++ = thread;
  }

  /// Puts `count` threads before all others where there is room, and behind them elsewhere.
  void push_first(ParkedThread* const* threads, unsigned count) {
    if (first_ - items_.get() < static_cast<std::ptrdiff_t>(count)) {
      for (unsigned i = 0; i < count; ++i) push(threads[i]);
    } else {
      first_ -= count;
      std::copy_n(threads, count, first_);
    }
  }

  /// The longest waiting thread; there must be one.
  ParkedThread* pop() { return *first_++; }
  const ParkedThread* front() const { return *first_; }

  ParkedThread* const* begin() const { return first_; }

  /// Moves all of `other` to the end of this queue.
  void take(ParkedQueue& other) {
    if (empty()) {
      clear();
      std::swap(*this, other);
    } else {
      while (!other.empty()) push(other.pop());
      other.clear();
    }
  }
  void take(ParkedList& other) {
    while (!other.empty()) push(other.pop());
  }

  void clear() { first_ = end_ = items_.get(); }

  /// One past the last of `count` threads, as seen by a queue that was just cleared.
  ParkedThread** end_of(unsigned count) const { return items_.get() + count; }
  ParkedThread** end() const { return end_; }

 private:
  void make_room() {
    end_ = std::copy(first_, end_, items_.get());
    first_ = items_.get();
  }

  static constexpr unsigned kCapacity = 2 * 1024;  // twice what a block can have
  std::unique_ptr<ParkedThread*[]> items_ = std::make_unique<ParkedThread*[]>(kCapacity);
  ParkedThread** first_;
  ParkedThread** end_;
};

}  // namespace simt::detail

#endif
