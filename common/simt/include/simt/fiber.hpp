/// @file
/// Fibers: stacks that simulated threads run on, and the places where threads continue.
#ifndef SIMT_FIBER_HPP
#define SIMT_FIBER_HPP

#include <cstddef>
#include <cstring>

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
  bool expired = false;        ///< it goes on, and what it waited for has not happened
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
/// ahead, where a list would have to be followed. (Every CUDA source is compiled with this header:
/// the standard library's heavy ones stay out.)
class ParkedQueue {
 public:
  ParkedQueue() { clear(); }
  ~ParkedQueue() { delete[] items_; }
  ParkedQueue(const ParkedQueue&) = delete;
  ParkedQueue& operator=(const ParkedQueue&) = delete;

  bool empty() const { return first_ == end_; }
  unsigned size() const { return static_cast<unsigned>(end_ - first_); }

  void push(ParkedThread* thread) {
    if (end_ == items_ + kCapacity) [[unlikely]]
      make_room();
    *end_++ = thread;
  }

  /// Puts `count` threads before all others where there is room, and behind them elsewhere.
  void push_first(ParkedThread* const* threads, unsigned count) {
    if (first_ - items_ < static_cast<std::ptrdiff_t>(count)) {
      for (unsigned i = 0; i < count; ++i) push(threads[i]);
    } else {
      first_ -= count;
      std::memcpy(first_, threads, count * sizeof(*threads));  // NOLINT(bugprone-sizeof-expression)
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
      swap(other);
    } else {
      while (!other.empty()) push(other.pop());
      other.clear();
    }
  }
  void take(ParkedList& other) {
    while (!other.empty()) push(other.pop());
  }

  void clear() { first_ = end_ = items_; }

  /// One past the last of `count` threads, as seen by a queue that was just cleared.
  ParkedThread** end_of(unsigned count) const { return items_ + count; }
  ParkedThread** end() const { return end_; }

 private:
  void make_room() {
    std::memmove(items_, first_, size() * sizeof(*first_));  // NOLINT(bugprone-sizeof-expression)
    end_ = items_ + size();
    first_ = items_;
  }

  void swap(ParkedQueue& other) {
    const auto exchange = [](auto& a, auto& b) {
      const auto kept = a;
      a = b;
      b = kept;
    };
    exchange(items_, other.items_);
    exchange(first_, other.first_);
    exchange(end_, other.end_);
  }

  static constexpr unsigned kCapacity = 2 * 1024;  // twice what a block can have
  ParkedThread** items_ = new ParkedThread*[kCapacity];
  ParkedThread** first_;
  ParkedThread** end_;
};

}  // namespace simt::detail

#endif
