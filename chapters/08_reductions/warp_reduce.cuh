/// \file
/// Reductions of a warp and of a block, from registers to registers.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch08 {

inline constexpr int WARP = 32;
inline constexpr unsigned ALL_LANES = 0xFFFFFFFFu;

//! [add]
struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
//! [add]

/// The larger one; of a number and a NaN the number.
struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

//! [sums]
/// Two sums that travel together.
struct Sums {
  float first, second;
};
struct AddSums {
  __device__ Sums operator()(const Sums& a, const Sums& b) const {
    return {a.first + b.first, a.second + b.second};
  }
};
//! [sums]

//! [shuffle]
/// What the lane whose number differs in the bit `step` holds. A type of its own needs an overload.
__device__ inline float shuffle_xor(float value, int step) {
  return __shfl_xor_sync(ALL_LANES, value, step);
}
__device__ inline Sums shuffle_xor(const Sums& value, int step) {
  return {shuffle_xor(value.first, step), shuffle_xor(value.second, step)};
}
//! [shuffle]

//! [warp_reduce]
/// The values of each LANES neighbours of a warp, combined; all of them get the result. All 32
/// lanes make the call. `op` has to be commutative to the last bit, or the lanes' results differ.
template <int LANES = WARP, class T, class Op>
__device__ T warp_reduce(T value, Op op) {
  static_assert(LANES <= WARP && (LANES & (LANES - 1)) == 0, "every step halves what is left");
  // Each lane adds what the lane `step` away holds: after 5 steps every lane has all 32.
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2) value = op(value, shuffle_xor(value, step));
  return value;
}
//! [warp_reduce]

//! [block_reduce]
/// The values of the THREADS threads of a row of a block (threadIdx.x), combined; all of them get
/// the result. With more than one warp, a block is one row, and all its threads make the call.
template <int THREADS, class T, class Op>
__device__ T block_reduce(T value, Op op) {
  constexpr int WARPS = THREADS / WARP;
  static_assert(THREADS % WARP == 0 && WARPS <= WARP, "one word of shared memory for each warp");
  value = warp_reduce(value, op);
  if constexpr (WARPS > 1) {
    __shared__ T parts[WARPS];
    if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = value;
    __syncthreads();
    value = warp_reduce<WARPS>(parts[threadIdx.x % WARPS], op);  // every warp, for itself
    __syncthreads();  // nobody overwrites the parts before all have read them
  }
  return value;
}
//! [block_reduce]

}  // namespace tut::ch08
