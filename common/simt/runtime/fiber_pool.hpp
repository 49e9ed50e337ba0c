/// @file
/// The stacks of one worker.
#ifndef SIMT_RUNTIME_FIBER_POOL_HPP
#define SIMT_RUNTIME_FIBER_POOL_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/fiber.hpp"

namespace simt::detail {

/// Stacks lie at a constant distance, and the lowest idle one is taken first. So the threads of a
/// block, which take turns in order, walk through memory at a constant stride, which processors
/// foresee: a barrier takes half the time that it takes with stacks in any other arrangement.
class FiberPool {
 public:
  /// All threads that the device holds at once, in a cooperative launch, and some more.
  static constexpr unsigned kGroups = 3;
  static constexpr unsigned kMostFibers = kGroups * 4096;

  /// Fibers begin with `entry`, which must not return.
  explicit FiberPool(void (*entry)()) : entry_(entry) {}
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  Fiber* take() {
    unsigned group = 0;
    while (idle_words_[group] == 0) {
      if (++group < kGroups) continue;
      grow();
      group = 0;
    }
    const unsigned word = group * 64 + static_cast<unsigned>(std::countr_zero(idle_words_[group]));
    const auto bit = static_cast<unsigned>(std::countr_zero(idle_[word]));
    idle_[word] &= idle_[word] - 1;
    if (idle_[word] == 0) idle_words_[group] &= idle_words_[group] - 1;
    return fibers_[word * 64 + bit];
  }

  void give_back(const Fiber* fiber) {
    idle_[fiber->index / 64] |= std::uint64_t{1} << fiber->index % 64;
    idle_words_[fiber->index / 4096] |= std::uint64_t{1} << fiber->index / 64 % 64;
  }

  /// Forgets what runs on any of the stacks: after a fault all of them begin anew.
  void reset();

  /// The fiber whose stack holds an address, or null.
  Fiber* find(const void* address) const;

  /// True if the address lies in the guard below one of the stacks: a stack overflow.
  bool is_guard(const void* address) const;

 private:
  void grow();
  void prepare(unsigned index);
  std::byte* bottom(unsigned index) const;

  void (*entry_)();
  std::vector<std::byte*> regions_;
  std::vector<Fiber*> fibers_;
  std::uint64_t idle_[kGroups * 64] = {};   ///< one bit for each fiber
  std::uint64_t idle_words_[kGroups] = {};  ///< one bit for each word of `idle_` that is not 0
};

}  // namespace simt::detail

#endif
