/// \file
/// Prefix sums of a warp and of a block, from registers to registers.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "08_reductions/warp_reduce.cuh"

namespace tut::ch08 {

//! [warp]
/// The sum of the values of this lane and of all lanes before it. All 32 lanes make the call.
__device__ inline int warp_scan(int value) {
  const int lane = threadIdx.x % WARP;
#pragma unroll
  for (int step = 1; step < WARP; step *= 2) {
    const int left = __shfl_up_sync(ALL_LANES, value, step);  // from the lane `step` places lower
    if (lane >= step) value += left;
  }
  return value;
}
//! [warp]

//! [block]
/// What a thread learns about the values of its block.
struct BlockScan {
  int before;  ///< the sum of the values of all threads before this one
  int total;   ///< the sum of the values of all threads
};

/// Scans the values of the THREADS threads of a block of one dimension; all of them make the call.
template <int THREADS>
__device__ BlockScan block_scan(int value) {
  constexpr int WARPS = THREADS / WARP;
  static_assert(THREADS % WARP == 0 && WARPS <= WARP, "one word of shared memory for each warp");
  __shared__ int warp_totals[WARPS];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

  const int through = warp_scan(value);  // in this warp, up to this thread and with it
  if (lane == WARP - 1) warp_totals[warp] = through;
  __syncthreads();

  // Every warp scans the totals for itself: lane w then knows the sum of warps 0 to w.
  const int totals = warp_scan(lane < WARPS ? warp_totals[lane] : 0);
  const int warps_before = __shfl_sync(ALL_LANES, totals, warp == 0 ? 0 : warp - 1);
  const int total = __shfl_sync(ALL_LANES, totals, WARPS - 1);
  __syncthreads();  // nobody overwrites the totals before all have read them
  return {(warp == 0 ? 0 : warps_before) + through - value, total};
}
//! [block]

/// Elements i to i + 3 of an array of `end`, 0 in place of those that it has not; i is a multiple
/// of 4. ALIGNED: the array begins at a multiple of 16 bytes.
template <bool ALIGNED>
__device__ inline void load_ints(const int* in, std::size_t i, std::size_t end, int (&values)[4]) {
  if (ALIGNED && i + 4 <= end) {
    const int4 v = *reinterpret_cast<const int4*>(in + i);
    values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
  } else {
    for (int k = 0; k < 4; ++k) values[k] = i + k < end ? in[i + k] : 0;
  }
}

/// Writes elements i to i + 3, those that the array has.
template <bool ALIGNED>
__device__ inline void store_ints(int* out, std::size_t i, std::size_t end,
                                  const int (&values)[4]) {
  if (ALIGNED && i + 4 <= end) {
    *reinterpret_cast<int4*>(out + i) = make_int4(values[0], values[1], values[2], values[3]);
  } else {
    for (int k = 0; k < 4; ++k) {
      if (i + k < end) out[i + k] = values[k];
    }
  }
}

}  // namespace tut::ch08
