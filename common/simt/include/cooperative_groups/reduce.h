/// @file
/// Reductions over a tile or coalesced threads. The values are combined in pairs of neighbours, so
/// that a sum of floats does not depend on the order in which the threads run.
/// Source: CUDA Programming Guide, "Cooperative Groups", section "reduce".
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDA__)
#error "cooperative_groups/reduce.h is for .cu files: CUDA's own does not compile as C++ either"
#endif

#include <type_traits>

#include "cooperative_groups.h"
#include "cuda_bf16.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(const T& a, const T& b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(const T& a, const T& b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(const T& a, const T& b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(const T& a, const T& b) const { return a ^ b; }
};

/// op over the values of all threads of the group, in every thread.
template <class Group, class T, class Op>
auto reduce(const Group& group, T&& value, Op&& op) {
  if constexpr (requires { group.lane_mask(); }) {
    return detail::reduce_lanes<std::decay_t<T>, std::decay_t<Op>>(group.lane_mask(), value, op);
  } else {
    return group.template combine<std::decay_t<T>>(value, op);
  }
}

}  // namespace cooperative_groups
