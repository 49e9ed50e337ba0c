/// @file
/// Loads and stores with cache hints (plain accesses here), memory fences, cycle counters, traps.
/// Source: CUDA Programming Guide, "Read-Only Data Cache Load Function", "Load/Store Functions
/// Using Cache Hints", "Memory Fence Functions", "Time Function", "Nanosleep Function".
#pragma once

#include <time.h>

#include <type_traits>

#include "simt/collective.hpp"
#include "simt/watching.hpp"

// Inlined always, so that a watched translation unit keeps its own, watched, copy.
template <class T>
[[gnu::always_inline]] inline T __ldg(const T* p) {
  simt::watch_read_only(p);
  return *p;
}
template <class T>
[[gnu::always_inline]] inline T __ldca(const T* p) {
  return *p;
}
template <class T>
[[gnu::always_inline]] inline T __ldcg(const T* p) {
  return *p;
}
template <class T>
[[gnu::always_inline]] inline T __ldcs(const T* p) {
  return *p;
}
template <class T>
[[gnu::always_inline]] inline T __ldlu(const T* p) {
  return *p;
}
/// Do not cache, fetch again: the compiler may not keep an earlier value either.
template <class T>
[[gnu::always_inline]] inline T __ldcv(const T* p) {
  asm volatile("" ::: "memory");
  return *p;
}

// What is stored is converted to what the address is of.

template <class T>
[[gnu::always_inline]] inline void __stwb(T* p, std::type_identity_t<T> value) {
  *p = value;
}
template <class T>
[[gnu::always_inline]] inline void __stcg(T* p, std::type_identity_t<T> value) {
  *p = value;
}
template <class T>
[[gnu::always_inline]] inline void __stcs(T* p, std::type_identity_t<T> value) {
  *p = value;
}
template <class T>
[[gnu::always_inline]] inline void __stwt(T* p, std::type_identity_t<T> value) {
  *p = value;
}

/// Fences order this thread's earlier writes before its later ones, as the block, the device, the
/// cluster or the host may see them.
[[gnu::always_inline]] inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
[[gnu::always_inline]] inline void __threadfence_block() {
  simt::watch_block_scope();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
[[gnu::always_inline]] inline void __threadfence_cluster() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
[[gnu::always_inline]] inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/// A counter that rises with time: the processor's time-stamp counter, else nanoseconds. It counts
/// this machine's cycles, not a GPU's.
inline long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
#endif
}

namespace simt {

/// clock() of device code, whose name the host's library has for another one.
inline clock_t device_clock() { return static_cast<clock_t>(clock64()); }

}  // namespace simt

/// Ends the kernel with an error.
[[noreturn]] inline void __trap() { simt::trap(); }
inline void __brkpt() {}
inline void __prof_trigger(int) {}
