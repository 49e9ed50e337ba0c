/// @file
/// What the backend's own headers tell check mode of their synchronisation. In a program that is
/// not checked nobody listens.
#ifndef SIMT_WATCHING_HPP
#define SIMT_WATCHING_HPP

#include <cstddef>
#include <type_traits>

extern "C" {
[[gnu::weak]] void simt_watch_release(const void* key);
[[gnu::weak]] void simt_watch_acquire(const void* key);
[[gnu::weak]] void simt_watch_block_scope();
[[gnu::weak]] void simt_watch_nameless_variables();
[[gnu::weak]] void simt_watch_unused(const volatile void* address, std::size_t size);
[[gnu::weak]] void simt_watch_read_only(const void* address, std::size_t size);
}

namespace simt {

/// What this thread did so far is known to whoever acquires the same key later.
inline void watch_release(const void* key) {
  if (simt_watch_release != nullptr) simt_watch_release(key);
}
inline void watch_acquire(const void* key) {
  if (simt_watch_acquire != nullptr) simt_watch_acquire(key);
}

/// The fence or atomic operation that comes next works within the block only.
inline void watch_block_scope() {
  if (simt_watch_block_scope != nullptr) simt_watch_block_scope();
}

/// Passes on the address of an atomic operation whose old value nobody uses: an exchange only
/// writes then, and no operation makes known to its thread what others did before theirs.
template <class P>
inline P&& watch_unused(P&& pointer) {
  if constexpr (std::is_pointer_v<std::decay_t<P>>) {
    if (simt_watch_unused != nullptr) simt_watch_unused(pointer, sizeof(*pointer));
  }
  return static_cast<P&&>(pointer);
}

/// What the running thread is about to read may not change while the kernel runs.
template <class T>
[[gnu::always_inline]] inline void watch_read_only([[maybe_unused]] const T* p) {
#ifdef __SIMT_WATCHED__  // kernels that nobody watches are spared the question
  if (simt_watch_read_only != nullptr) simt_watch_read_only(p, sizeof(T));
#endif
}

/// The program has variables of the device that nobody can tell from the host's.
inline void watch_nameless_variables() {
  if (simt_watch_nameless_variables != nullptr) simt_watch_nameless_variables();
}

}  // namespace simt

#endif
