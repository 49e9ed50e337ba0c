/// @file
/// Atomic read-modify-write functions on global and shared memory. Each returns the old value. They
/// order nothing but the word itself (relaxed), at whatever scope the name says: `_block`, none for
/// the device, `_system`. The pointer decides the type, the value is converted to it.
/// Source: CUDA Programming Guide, "Atomic Functions".
#pragma once

#include <bit>
#include <type_traits>

#include "simt/collective.hpp"
#include "simt/device/min_max.hpp"
#include "simt/watching.hpp"
#include "vector_types.h"

namespace simt {

namespace detail {

template <class T, class... Choices>
concept OneOf = (std::is_same_v<T, Choices> || ...);

/// Lets other threads run: called whenever a compare-and-swap finds another value than it expected,
/// and by __nanosleep, because a thread may be spinning on a word that only another one will write.
inline void spin_wait() { yield(); }

/// The unsigned integer that stores T's bits.
template <class T>
using AtomicWord =
    std::conditional_t<sizeof(T) == 2, unsigned short,
                       std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;

/// Replaces *address by f(old) in one step; returns the old value.
template <class T, class F>
[[gnu::always_inline]] inline T atomic_update(T* address, F f) {
  using Word = AtomicWord<T>;
  static_assert(sizeof(Word) == sizeof(T));
  auto* word = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, std::bit_cast<Word>(f(std::bit_cast<T>(old))),
                                      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return std::bit_cast<T>(old);
}

template <class T>
[[gnu::always_inline]] inline T atomic_add(T* address, T value) {
  if constexpr (std::is_integral_v<T>) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
  } else {
    return atomic_update(address, [value](T old) { return old + value; });
  }
}

template <class T>
[[gnu::always_inline]] inline T atomic_exchange(T* address, T value) {
  using Word = AtomicWord<T>;
  return std::bit_cast<T>(__atomic_exchange_n(reinterpret_cast<Word*>(address),
                                              std::bit_cast<Word>(value), __ATOMIC_RELAXED));
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_and_swap(T* address, T expected, T value) {
  const T wanted = expected;
  if (!__atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED)) {
    if (expected != wanted) spin_wait();
  }
  return expected;
}

}  // namespace detail
}  // namespace simt

/// *p + v; integers wrap, float and double round to nearest even.
template <simt::detail::OneOf<int, unsigned, unsigned long long, float, double> T>
[[gnu::always_inline]] inline T atomicAdd(T* p, std::type_identity_t<T> v) {
  return simt::detail::atomic_add(p, v);
}
template <simt::detail::OneOf<int, unsigned, unsigned long long, float, double> T>
[[gnu::always_inline]] inline T atomicAdd_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicAdd(p, v);
}
template <simt::detail::OneOf<int, unsigned, unsigned long long, float, double> T>
[[gnu::always_inline]] inline T atomicAdd_system(T* p, std::type_identity_t<T> v) {
  return atomicAdd(p, v);
}

/// *p - v.
template <simt::detail::OneOf<int, unsigned> T>
[[gnu::always_inline]] inline T atomicSub(T* p, std::type_identity_t<T> v) {
  return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);
}
template <simt::detail::OneOf<int, unsigned> T>
[[gnu::always_inline]] inline T atomicSub_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicSub(p, v);
}
template <simt::detail::OneOf<int, unsigned> T>
[[gnu::always_inline]] inline T atomicSub_system(T* p, std::type_identity_t<T> v) {
  return atomicSub(p, v);
}

/// v.
template <simt::detail::OneOf<int, unsigned, unsigned long long, float> T>
[[gnu::always_inline]] inline T atomicExch(T* p, std::type_identity_t<T> v) {
  return simt::detail::atomic_exchange(p, v);
}
template <simt::detail::OneOf<int, unsigned, unsigned long long, float> T>
[[gnu::always_inline]] inline T atomicExch_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicExch(p, v);
}
template <simt::detail::OneOf<int, unsigned, unsigned long long, float> T>
[[gnu::always_inline]] inline T atomicExch_system(T* p, std::type_identity_t<T> v) {
  return atomicExch(p, v);
}

/// The smaller of *p and v.
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicMin(T* p, std::type_identity_t<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return v < old ? v : old; });
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicMin_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicMin(p, v);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicMin_system(T* p, std::type_identity_t<T> v) {
  return atomicMin(p, v);
}

/// The larger of *p and v.
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicMax(T* p, std::type_identity_t<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old < v ? v : old; });
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicMax_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicMax(p, v);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicMax_system(T* p, std::type_identity_t<T> v) {
  return atomicMax(p, v);
}

/// *p + 1, or 0 where *p >= v.
template <simt::detail::OneOf<unsigned> T>
[[gnu::always_inline]] inline T atomicInc(T* p, std::type_identity_t<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old >= v ? 0u : old + 1u; });
}
template <simt::detail::OneOf<unsigned> T>
[[gnu::always_inline]] inline T atomicInc_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicInc(p, v);
}
template <simt::detail::OneOf<unsigned> T>
[[gnu::always_inline]] inline T atomicInc_system(T* p, std::type_identity_t<T> v) {
  return atomicInc(p, v);
}

/// *p - 1, or v where *p is 0 or above v.
template <simt::detail::OneOf<unsigned> T>
[[gnu::always_inline]] inline T atomicDec(T* p, std::type_identity_t<T> v) {
  return simt::detail::atomic_update(p, [v](T old) { return old == 0u || old > v ? v : old - 1u; });
}
template <simt::detail::OneOf<unsigned> T>
[[gnu::always_inline]] inline T atomicDec_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicDec(p, v);
}
template <simt::detail::OneOf<unsigned> T>
[[gnu::always_inline]] inline T atomicDec_system(T* p, std::type_identity_t<T> v) {
  return atomicDec(p, v);
}

/// v where *p equals `expected`.
template <simt::detail::OneOf<int, unsigned, unsigned long long, unsigned short> T>
[[gnu::always_inline]] inline T atomicCAS(T* p, std::type_identity_t<T> expected,
                                          std::type_identity_t<T> v) {
  return simt::detail::atomic_compare_and_swap(p, expected, v);
}
template <simt::detail::OneOf<int, unsigned, unsigned long long, unsigned short> T>
[[gnu::always_inline]] inline T atomicCAS_block(T* p, std::type_identity_t<T> expected,
                                                std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicCAS(p, expected, v);
}
template <simt::detail::OneOf<int, unsigned, unsigned long long, unsigned short> T>
[[gnu::always_inline]] inline T atomicCAS_system(T* p, std::type_identity_t<T> expected,
                                                 std::type_identity_t<T> v) {
  return atomicCAS(p, expected, v);
}

/// *p & v.
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicAnd(T* p, std::type_identity_t<T> v) {
  return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicAnd_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicAnd(p, v);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicAnd_system(T* p, std::type_identity_t<T> v) {
  return atomicAnd(p, v);
}

/// *p | v.
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicOr(T* p, std::type_identity_t<T> v) {
  return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicOr_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicOr(p, v);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicOr_system(T* p, std::type_identity_t<T> v) {
  return atomicOr(p, v);
}

/// *p ^ v.
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicXor(T* p, std::type_identity_t<T> v) {
  return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicXor_block(T* p, std::type_identity_t<T> v) {
  simt::watch_block_scope();
  return atomicXor(p, v);
}
template <simt::detail::OneOf<int, unsigned, long long, unsigned long long> T>
[[gnu::always_inline]] inline T atomicXor_system(T* p, std::type_identity_t<T> v) {
  return atomicXor(p, v);
}

/// Two or four floats, each added atomically (not the vector as a whole).
inline float2 atomicAdd(float2* p, float2 v) {
  return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};
}
inline float4 atomicAdd(float4* p, float4 v) {
  return {atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z),
          atomicAdd(&p->w, v.w)};
}

/// Sleeps for about so long; other threads of the block may run meanwhile.
inline void __nanosleep(unsigned) { simt::detail::spin_wait(); }
