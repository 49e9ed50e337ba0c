/// @file
/// One block of a kernel that was cut into phases at its barriers and loops over the threads of
/// each phase itself.
#ifndef SIMT_BLOCK_RUN_HPP
#define SIMT_BLOCK_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/builtins.hpp"

namespace simt {

struct BlockRun {
  uint3 index;
  dim3 dim;
  dim3 grid;

  /// Storage of one variable for all threads of the block; `slot` tells a kernel's variables apart.
  /// It belongs to the OS thread and is used again by its next block.
  template <class T>
  T* per_thread(unsigned slot) {
    return static_cast<T*>(storage(slot, sizeof(T) * dim.x * dim.y * dim.z));
  }

  /// Tells functions outside the kernel which thread runs.
  void enter(const uint3& thread) { ::threadIdx = thread; }

 private:
  static void* storage(unsigned slot, std::size_t bytes);
};

/// Initialises an array that lives across a barrier.
template <class T, std::size_t kSize>
void copy_array(T (&to)[kSize], const T (&from)[kSize]) {
  static_assert(__is_trivially_copyable(T));
  std::memcpy(&to, &from, sizeof(to));
}

/// The initialiser of a variable that counts up from thread to thread: a whole number.
template <class T>
constexpr T integer(T value) {
  static_assert(std::is_integral_v<T>);
  return value;
}

/// Such a variable, of type T, in the thread `lane` places after one whose initialiser is `first`.
/// The sum is made in T, whose overflow the compiler need not allow for if T is signed, unless the
/// initialiser's type is the smaller one: then it wraps round as the initialiser does.
template <class T, class Initial>
[[gnu::always_inline]] constexpr std::remove_cv_t<T> in_row(Initial first, std::ptrdiff_t lane) {
  using Value = std::remove_cv_t<T>;
  using Sum = std::conditional_t<sizeof(Value) <= sizeof(Initial), Value, Initial>;
  return static_cast<Value>(static_cast<Sum>(static_cast<Sum>(first) + static_cast<Sum>(lane)));
}

namespace detail {

/// A grid small enough for `blockIdx.x * blockDim.x + threadIdx.x` to stay below 2^31. The split
/// kernel tells the compiler so, which then knows that neighbouring threads have neighbouring
/// indices and vectorises their loads.
inline constexpr unsigned kSmallGrid = 1u << 21;

/// kLanes neighbouring threads: body(first, lane). A constant number of them is what lets the
/// compiler vectorise across threads whatever loops the body has inside.
template <int kLanes, class Body>
[[gnu::always_inline]] inline void run_strip(std::ptrdiff_t first, const Body& body) {
#pragma omp simd
  for (std::ptrdiff_t lane = 0; lane < kLanes; ++lane) body(first, lane);
}

/// Are all of eight flags set?
inline bool eight_set(const bool* flags) {
  std::uint64_t word;
  std::memcpy(&word, flags, sizeof(word));
  return word == 0x0101010101010101u;
}

/// Do all threads of a strip pass?
template <int kLanes, class Guard>
[[gnu::always_inline]] inline bool all_pass(std::ptrdiff_t first, const Guard& guard) {
  bool all = true;
#pragma omp simd reduction(& : all)
  for (std::ptrdiff_t lane = 0; lane < kLanes; ++lane) all &= guard(first, lane);
  return all;
}

template <class Body>
[[gnu::noinline]] void run_split_block(const Body& body, BlockRun run) {
  Body block_body = body;
  if (run.grid.x <= kSmallGrid) {
    block_body(run, true);
  } else {
    block_body(run, false);
  }
}

}  // namespace detail

/// Does every thread of a row pass?
template <class Test>
[[gnu::always_inline]] inline bool all_lanes(std::ptrdiff_t count, const Test& test) {
  bool all = true;
  std::ptrdiff_t lane = 0;
  for (; lane + 16 <= count; lane += 16) all &= detail::all_pass<16>(lane, test);
  for (; lane < count; ++lane) all &= test(lane, 0);
  return all;
}

/// Runs the threads of a row one after another: a body that needs to know its thread.
template <class Body>
[[gnu::always_inline]] inline void for_each_lane(std::ptrdiff_t count, const Body& body) {
  for (std::ptrdiff_t lane = 0; lane < count; ++lane) body(lane, 0);
}

/// Runs the threads of a row in strips. Threads have no order between barriers, so any will do.
template <class Body>
[[gnu::always_inline]] inline void for_lanes(std::ptrdiff_t count, const Body& body) {
  std::ptrdiff_t lane = 0;
  for (; lane + 16 <= count; lane += 16) detail::run_strip<16>(lane, body);
  if (lane + 8 <= count) {
    detail::run_strip<8>(lane, body);
    lane += 8;
  }
  if (lane + 4 <= count) {
    detail::run_strip<4>(lane, body);
    lane += 4;
  }
  for (; lane < count; ++lane) detail::run_strip<1>(lane, body);
}

/// The same for a phase that begins with guards, such as `if (row >= rows) return;`. Where all
/// threads of a strip pass, `body` runs, which is the phase without its guards: the compiler does
/// not vectorise loops that a condition surrounds. Elsewhere `guarded_body` runs, which has them.
template <class Guard, class Body, class GuardedBody>
[[gnu::always_inline]] inline void for_guarded_lanes(std::ptrdiff_t count, const Guard& guard,
                                                     const Body& body,
                                                     const GuardedBody& guarded_body) {
  // Nothing here may take the address of the bodies, or the compiler must take their variables for
  // something that every store may change.
  for (std::ptrdiff_t lane = 0; lane < count;) {
    if (lane + 16 <= count && detail::all_pass<16>(lane, guard)) {
      detail::run_strip<16>(lane, body);
      lane += 16;
    } else if (lane + 8 <= count && detail::all_pass<8>(lane, guard)) {
      detail::run_strip<8>(lane, body);
      lane += 8;
    } else {
      const std::ptrdiff_t end = lane + 8 < count ? lane + 8 : count;
      for (; lane < end; ++lane) guarded_body(lane, 0);
    }
  }
}

/// The same for threads that passed the kernel's guards before: `inside` tells which.
template <class Body>
[[gnu::always_inline]] inline void for_masked_lanes(std::ptrdiff_t count, const bool* inside,
                                                    const Body& body) {
  for (std::ptrdiff_t lane = 0; lane < count;) {
    if (lane + 16 <= count && detail::eight_set(inside + lane) &&
        detail::eight_set(inside + lane + 8)) {
      detail::run_strip<16>(lane, body);
      lane += 16;
    } else if (lane + 8 <= count && detail::eight_set(inside + lane)) {
      detail::run_strip<8>(lane, body);
      lane += 8;
    } else {
      if (inside[lane]) body(lane, 0);
      ++lane;
    }
  }
}

/// Did any thread of the block pass the kernel's guards?
inline bool any_inside(const bool* inside, std::ptrdiff_t count) {
  return std::memchr(inside, 1, static_cast<std::size_t>(count)) != nullptr;
}

}  // namespace simt

#endif
