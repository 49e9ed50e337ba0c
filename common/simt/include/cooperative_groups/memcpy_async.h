/// @file
/// Copies by all threads of a group, done when the group waits for them.
/// Source: CUDA Programming Guide, "Cooperative Groups", sections "memcpy_async" and "wait and
/// wait_prior".
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cooperative_groups.h"
#include "simt/async_copy.hpp"

namespace cuda {

/// A number of bytes, with the promise that they and both addresses are aligned to kAlignment.
template <std::size_t kAlignment>
struct aligned_size_t {
  static constexpr std::size_t align = kAlignment;
  std::size_t value;
  explicit constexpr aligned_size_t(std::size_t size) : value(size) {}
  constexpr operator std::size_t() const { return value; }
};

}  // namespace cuda

namespace cooperative_groups {

namespace detail {

/// The threads share the words out among them; bytes that fill no word are copied at once.
template <class Group>
void copy_async(const Group& group, std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const unsigned word = both % 16 == 0 ? 16 : both % 8 == 0 ? 8 : both % 4 == 0 ? 4 : 0;
  const std::size_t rank = group.thread_rank(), threads = group.num_threads();
  const std::size_t words = word == 0 ? 0 : bytes / word;
  for (std::size_t i = rank; i < words; i += threads) {
    simt::async_copy(to + i * word, from + i * word, word);
  }
  for (std::size_t i = words * word + rank; i < bytes; i += threads) to[i] = from[i];
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
