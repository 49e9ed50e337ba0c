/// @file
/// Asynchronous copies from global to shared memory (cp.async), in groups that a thread commits and
/// waits for. CUDA leaves open when a copy is done, from its issue until its thread waits for it.
/// Watched kernels (check and count mode) do it at the latest moment: a program that reads too
/// early finds what was there before. Others do it at once, and a wait is nothing. Source: PTX ISA,
/// "cp.async", "cp.async.commit_group", "cp.async.wait_group".
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/collective.hpp"

namespace simt {

namespace detail {

struct AsyncCopy {
  void* to;
  const void* from;
  unsigned size;   ///< 4, 8 or 16 bytes
  unsigned valid;  ///< how many of them are copied; the rest becomes 0
};

// What a thread has issued and not waited for is kept by the runtime, where check mode does not
// look.

/// The bytes that the running thread's copies will write which it has not waited for.
std::uint64_t async_bytes_under_way();
/// Notes a copy, in the running thread's open group.
void push_async(const AsyncCopy& copy);
/// Likewise, of one that is as wide as its addresses allow: no array needs to be aligned for it.
void push_async_as_aligned(const AsyncCopy& copy);
/// Takes the oldest copy out of the groups that are closed but for the `pending` latest ones.
bool pop_async(AsyncCopy& copy, unsigned pending);
/// Takes the oldest copy, whatever its group.
bool pop_any_async(AsyncCopy& copy);
/// Closes the open group.
void close_async();

template <class Word>
[[gnu::always_inline]] inline void copy_word(const AsyncCopy& copy) {
  if (copy.valid == copy.size) {
    *static_cast<Word*>(copy.to) = *static_cast<const Word*>(copy.from);
    return;
  }
  Word word{};
  if (copy.valid != 0) __builtin_memcpy(&word, copy.from, copy.valid);
  *static_cast<Word*>(copy.to) = word;
}

[[gnu::always_inline]] inline void do_copy(const AsyncCopy& copy) {
  struct alignas(16) Four {
    std::uint64_t words[2];
  };
  if (copy.size == 16) {
    copy_word<Four>(copy);
  } else if (copy.size == 8) {
    copy_word<std::uint64_t>(copy);
  } else {
    copy_word<std::uint32_t>(copy);
  }
}

}  // namespace detail

// Always inlined, since watched and other kernels may be parts of one program.

/// Starts to copy `size` bytes (4, 8 or 16, both addresses aligned to it); the last `zero_fill` of
/// them become 0 and are not read.
[[gnu::always_inline]] inline void async_copy(void* to, const void* from, unsigned size,
                                              unsigned zero_fill = 0) {
#ifdef __SIMT_WATCHED__
  detail::push_async({to, from, size, size - zero_fill});
#else
  detail::do_copy({to, from, size, size - zero_fill});
#endif
}

/// One thread's part of a copy that `threads` of them share, this one being number `rank`: words in
/// turn, as large as both addresses allow. Bytes that fill no word are copied at once.
[[gnu::always_inline]] inline void async_copy_shared(void* to, const void* from, std::size_t bytes,
                                                     std::size_t rank, std::size_t threads) {
  auto* target = static_cast<std::byte*>(to);
  const auto* origin = static_cast<const std::byte*>(from);
  const auto both = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const unsigned word = both % 16 == 0 ? 16 : both % 8 == 0 ? 8 : both % 4 == 0 ? 4 : 0;
  const std::size_t words = word == 0 ? 0 : bytes / word;
  for (std::size_t i = rank; i < words; i += threads) {
    const detail::AsyncCopy copy{target + i * word, origin + i * word, word, word};
#ifdef __SIMT_WATCHED__
    detail::push_async_as_aligned(copy);
#else
    detail::do_copy(copy);
#endif
  }
  for (std::size_t i = words * word + rank; i < bytes; i += threads) target[i] = origin[i];
}

/// Closes the group of copies that this thread issued since the last time.
[[gnu::always_inline]] inline void async_commit() {
#ifdef __SIMT_WATCHED__
  detail::close_async();
#endif
}

/// Waits until at most the `pending` latest groups of this thread are not done.
[[gnu::always_inline]] inline void async_wait([[maybe_unused]] unsigned pending) {
#ifdef __SIMT_WATCHED__
  detail::AsyncCopy copy;
  while (detail::pop_async(copy, pending)) detail::do_copy(copy);
#endif
}

/// Waits for every copy of this thread, committed or not.
[[gnu::always_inline]] inline void async_wait_all() {
#ifdef __SIMT_WATCHED__
  detail::AsyncCopy copy;
  while (detail::pop_any_async(copy)) detail::do_copy(copy);
#endif
}

}  // namespace simt
