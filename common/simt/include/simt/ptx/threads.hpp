/// @file
/// Clocks, barriers and shuffles of PTX.
#pragma once

#include <time.h>

#include "simt/collective.hpp"
#include "simt/ptx/registers.hpp"
#include "simt/warp.hpp"

namespace simt::ptx {

inline u32 warp_count() { return (detail::current_block->thread_count + 31) / 32; }
inline u32 multiprocessor() { return static_cast<u32>(detail::current_block->linear_index % 4); }
inline u64 nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<u64>(now.tv_sec) * 1000000000u + static_cast<u64>(now.tv_nsec);
}
/// bar.sync: barrier `number` of the first `threads` to come, in whole warps. A number or a count
/// that is wrong stops the kernel with a message.
void barrier(u32 number, u32 threads);
/// bar.arrive: the thread is one of them, and does not wait.
void barrier_arrive(u32 number, u32 threads);
inline void barrier(u32 number) {
  if (number == 0) {
    __syncthreads();
  } else {
    barrier(number, warp_count() * 32);
  }
}
/// elect.sync: the lane that a mask's lanes agree on.
inline u32 leader(u32 mask) { return mask == 0 ? 0 : static_cast<u32>(std::countr_zero(mask)); }
/// The width of a shuffle's segments, which PTX has as bits that lanes must share.
inline int shuffle_width(u32 clamp) { return 32 - static_cast<int>(clamp >> 8 & 31); }
inline u32 shuffle_idx(u32 value, u32 lane, u32 clamp, u32 mask) {
  return __shfl_sync(mask, value, static_cast<int>(lane), shuffle_width(clamp));
}
inline u32 shuffle_up(u32 value, u32 by, u32 clamp, u32 mask) {
  return __shfl_up_sync(mask, value, by, shuffle_width(clamp));
}
inline u32 shuffle_down(u32 value, u32 by, u32 clamp, u32 mask) {
  return __shfl_down_sync(mask, value, by, shuffle_width(clamp));
}
inline u32 shuffle_bfly(u32 value, u32 lanes, u32 clamp, u32 mask) {
  return __shfl_xor_sync(mask, value, static_cast<int>(lanes), shuffle_width(clamp));
}

}  // namespace simt::ptx
