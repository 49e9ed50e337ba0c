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
  /// Fibers begin with `entry`, which must not return.
  explicit FiberPool(void (*entry)()) : entry_(entry) {}
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  Fiber* take() {
    if (idle_words_ == 0) grow();
    const auto word = static_cast<unsigned>(std::countr_zero(idle_words_));
    const auto bit = static_cast<unsigned>(std::countr_zero(idle_[word]));
    idle_[word] &= idle_[word] - 1;
    if (idle_[word] == 0) idle_words_ &= idle_words_ - 1;
    return fibers_[word * 64 + bit];
  }

  void give_back(const Fiber* fiber) {
    idle_[fiber->index / 64] |= std::uint64_t{1} << fiber->index % 64;
    idle_words_ |= std::uint64_t{1} << fiber->index / 64;
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
  std::uint64_t idle_[64] = {};   ///< one bit for each fiber
  std::uint64_t idle_words_ = 0;  ///< one bit for each word of `idle_` that is not 0
};

}  // namespace simt::detail

#endif
