/// \file
/// The sum of exponentials of values that are not all known yet.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#include "08_reductions/warp_reduce.cuh"

namespace tut::ch08 {

//! [online_sum]
/// The largest of some values, and the sum of exp(value - largest). Of no value: {-inf, 0}.
struct OnlineSum {
  float largest, sum;
};
//! [online_sum]

__device__ inline OnlineSum shuffle_xor(const OnlineSum& value, int step) {
  return {shuffle_xor(value.largest, step), shuffle_xor(value.sum, step)};
}

//! [rescale]
/// What a sum about `from` has to be multiplied by to be one about `to`, which is not smaller.
/// Equal infinities must not meet in a subtraction.
__device__ inline float rescaling(float from, float to) {
  return from == to ? 1.0f : expf(from - to);
}

/// Joins two of them, in either order with the same bits.
struct JoinOnlineSums {
  __device__ OnlineSum operator()(const OnlineSum& a, const OnlineSum& b) const {
    const bool a_leads = a.largest >= b.largest;
    const OnlineSum &lead = a_leads ? a : b, &other = a_leads ? b : a;
    return {lead.largest, lead.sum + other.sum * rescaling(other.largest, lead.largest)};
  }
};
//! [rescale]

//! [base]
/// What to subtract from the values before exp: nothing where the largest is -inf, as -inf - -inf
/// is no number.
__device__ inline float exponent_base(float largest) {
  return largest == -INFINITY ? 0.0f : largest;
}
//! [base]

}  // namespace tut::ch08
