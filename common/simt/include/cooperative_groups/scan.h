/// @file
/// Scans over a tile or coalesced threads.
/// Source: CUDA Programming Guide, "Cooperative Groups", section "inclusive_scan and
/// exclusive_scan".
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDA__)
#error "cooperative_groups/scan.h is for .cu files: CUDA's own does not compile as C++ either"
#endif

#include <type_traits>

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op>
auto inclusive_scan(const Group& group, T&& value, Op&& op) {
  return detail::scan_lanes<false, std::decay_t<T>, std::decay_t<Op>>(group.lane_mask(), value, op);
}
template <class Group, class T>
auto inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, value, plus<std::decay_t<T>>());
}

/// The first thread gets a value-initialised T.
template <class Group, class T, class Op>
auto exclusive_scan(const Group& group, T&& value, Op&& op) {
  return detail::scan_lanes<true, std::decay_t<T>, std::decay_t<Op>>(group.lane_mask(), value, op);
}
template <class Group, class T>
auto exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, value, plus<std::decay_t<T>>());
}

}  // namespace cooperative_groups
