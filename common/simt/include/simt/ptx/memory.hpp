/// @file
/// Loads, stores, atomics and copies of PTX.
#pragma once

#include "simt/address_space.hpp"
#include "simt/async_copy.hpp"
#include "simt/ptx/arithmetic.hpp"
#include "simt/ptx/bits.hpp"

namespace simt::ptx {

/// What an instruction orders besides its own word.
inline constexpr int order_relaxed = __ATOMIC_RELAXED, order_acquire = __ATOMIC_ACQUIRE,
                     order_release = __ATOMIC_RELEASE, order_acq_rel = __ATOMIC_ACQ_REL;

template <class A>
void* generic(A address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}
template <class T>
T* pointer(void* address) {
  return static_cast<T*>(address);
}
inline u64 to_shared(u64 address) { return __cvta_generic_to_shared(generic(address)); }
inline u64 from_shared(u64 offset) {
  return reinterpret_cast<std::uintptr_t>(__cvta_shared_to_generic(offset));
}
template <class T>
T load(const T* from) {
  return *from;
}
template <int ORDER, class T>
T load_atomic(const T* from) {
  T value;
  __atomic_load(from, &value, ORDER);
  return value;
}
template <class T, class A>
void store(T* to, A value) {
  *to = as<T>(value);
}
template <int ORDER, class T, class A>
void store_atomic(T* to, A value) {
  T stored = as<T>(value);
  __atomic_store(to, &stored, ORDER);
}

/// *to = next(*to), at once; gives what was there. ORDER is what the opcode says.
template <int ORDER, class T, class Next>
T update(T* to, Next next) {
  T old = load_atomic<__ATOMIC_RELAXED>(to);
  T wanted = next(old);
  while (!__atomic_compare_exchange(to, &old, &wanted, false, ORDER, __ATOMIC_RELAXED)) {
    wanted = next(old);
  }
  return old;
}
template <int ORDER, class T, class A>
T atomic_add(T* to, A value) {
  return update<ORDER>(to, [=](T old) { return add<T>(old, value); });
}
template <int ORDER, class T, class A>
T atomic_min(T* to, A value) {
  return update<ORDER>(to, [=](T old) { return min<T>(old, value); });
}
template <int ORDER, class T, class A>
T atomic_max(T* to, A value) {
  return update<ORDER>(to, [=](T old) { return max<T>(old, value); });
}
template <int ORDER, class T, class A>
T atomic_and(T* to, A value) {
  return update<ORDER>(to, [=](T old) { return and_<T>(old, value); });
}
template <int ORDER, class T, class A>
T atomic_or(T* to, A value) {
  return update<ORDER>(to, [=](T old) { return or_<T>(old, value); });
}
template <int ORDER, class T, class A>
T atomic_xor(T* to, A value) {
  return update<ORDER>(to, [=](T old) { return xor_<T>(old, value); });
}
template <int ORDER, class T, class A>
T atomic_inc(T* to, A most) {
  return update<ORDER>(to,
                       [=](T old) { return old >= as<T>(most) ? T{} : static_cast<T>(old + 1); });
}
template <int ORDER, class T, class A>
T atomic_dec(T* to, A most) {
  return update<ORDER>(to, [=](T old) {
    return old == T{} || old > as<T>(most) ? as<T>(most) : static_cast<T>(old - 1);
  });
}
template <int ORDER, class T, class A>
T atomic_exch(T* to, A value) {
  return update<ORDER>(to, [=](T) { return as<T>(value); });
}
template <int ORDER, class T, class A, class B>
T atomic_cas(T* to, A expected, B value) {
  return update<ORDER>(to, [=](T old) { return old == as<T>(expected) ? as<T>(value) : old; });
}

/// cp.async: kSize is 4, 8 or 16, and 16 of `.cg`. `read` says how many bytes are copied, or as a
/// predicate that none is; the rest becomes 0.
template <u32 kSize, bool kCg, class Read = u32>
[[gnu::always_inline]] inline void copy_async(void* to, const void* from, Read read = kSize) {
  static_assert(kSize == 4 || kSize == 8 || kSize == 16, "cp.async copies 4, 8 or 16 bytes");
  static_assert(!kCg || kSize == 16, "cp.async.cg copies 16 bytes; .ca copies 4, 8 or 16");
  u32 copied = 0;
  if constexpr (std::is_same_v<Read, pred>) {
    copied = read ? 0 : kSize;
  } else {
    copied = static_cast<u32>(read) < kSize ? static_cast<u32>(read) : kSize;
  }
  async_copy(to, from, kSize, kSize - copied);
}

/// cp.async.wait_group and cp.async.wait_all.
[[gnu::always_inline]] inline void wait_for_copies(u32 pending) { async_wait(pending); }
[[gnu::always_inline]] inline void wait_for_copies() { async_wait_all(); }

}  // namespace simt::ptx
