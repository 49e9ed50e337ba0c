/// @file
/// Copies by all threads of a group, done when the group waits for them.
/// Source: CUDA Programming Guide, "Cooperative Groups", sections "memcpy_async" and "wait and
/// wait_prior".
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDA__)
#error \
    "cooperative_groups/memcpy_async.h is for .cu files: CUDA's own does not compile as C++ either"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cooperative_groups.h"
#include "cuda_bf16.h"
#include "cuda_pipeline.h"
#include "simt/aligned_size.hpp"
#include "simt/async_copy.hpp"

namespace cooperative_groups {

namespace detail {

/// The threads share the words out among them.
template <class Group>
void copy_async(const Group& group, std::byte* to, const std::byte* from, std::size_t bytes) {
  simt::async_copy_shared(to, from, bytes, group.thread_rank(), group.num_threads());
  simt::async_commit();
}

}  // namespace detail

/// Starts to copy `bytes` bytes.
template <class Group, class T, class Size>
void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  detail::copy_async(group, reinterpret_cast<std::byte*>(to),
                     reinterpret_cast<const std::byte*>(from), static_cast<std::size_t>(bytes));
}
template <class Group, class Size>
void memcpy_async(const Group& group, void* to, const void* from, const Size& bytes) {
  detail::copy_async(group, static_cast<std::byte*>(to), static_cast<const std::byte*>(from),
                     static_cast<std::size_t>(bytes));
}

/// Starts to copy elements, as many as fit on either side.
template <class Group, class T, class ToLayout, class FromLayout>
void memcpy_async(const Group& group, T* to, const ToLayout& to_count, const T* from,
                  const FromLayout& from_count) {
  const auto room = static_cast<std::size_t>(to_count);
  const auto given = static_cast<std::size_t>(from_count);
  memcpy_async(group, to, from, (room < given ? room : given) * sizeof(T));
}

/// Waits for the group's copies, all of them or all but the kPending latest calls' ones.
template <class Group>
void wait(const Group& group) {
  simt::async_wait_all();
  group.sync();
}
template <unsigned kPending, class Group>
void wait_prior(const Group& group) {
  simt::async_wait(kPending);
  group.sync();
}

}  // namespace cooperative_groups
