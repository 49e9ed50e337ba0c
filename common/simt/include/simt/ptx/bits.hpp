/// @file
/// PTX that works on bits.
#pragma once

#include "simt/device_functions.hpp"
#include "simt/ptx/arithmetic.hpp"
#include "simt/ptx/registers.hpp"

namespace simt::ptx {

template <class T, class A>
T mov(A a) {
  return as<T>(a);
}
template <class T, class A, class B>
T and_(A a, B b) {
  return as<T>(a) & as<T>(b);
}
template <class T, class A, class B>
T or_(A a, B b) {
  return as<T>(a) | as<T>(b);
}
template <class T, class A, class B>
T xor_(A a, B b) {
  return as<T>(a) ^ as<T>(b);
}
template <class T, class A>
T not_(A a) {
  return static_cast<T>(~as<T>(a));
}
/// Shifts by the width or more leave nothing, or nothing but the sign.
template <class T, class A>
T shl(A a, u32 by) {
  return by < 8 * sizeof(T) ? static_cast<T>(wrap<T>(a) << by) : T{};
}
template <class T, class A>
T shr(A a, u32 by) {
  const u32 most = 8 * sizeof(T) - 1;
  if (by > most) return std::is_signed_v<T> ? static_cast<T>(as<T>(a) >> most) : T{};
  return static_cast<T>(as<T>(a) >> by);
}
inline u32 funnel_shift(u32 low, u32 high, u32 by) {
  return static_cast<u32>((u64{high} << 32 | low) >> by);
}
template <class T>
T shf_l_wrap(u32 low, u32 high, u32 by) {
  return (by & 31) == 0 ? high : funnel_shift(low, high, 32 - (by & 31));
}
template <class T>
T shf_r_wrap(u32 low, u32 high, u32 by) {
  return funnel_shift(low, high, by & 31);
}
template <class T, class A>
T bfe(A a, u32 position, u32 length) {
  const u32 bits = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  if (length == 0) return T{};
  const u32 last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
  const bool sign = std::is_signed_v<T> && (wrap<T>(a) >> last & 1) != 0;
  T result{};
  for (u32 i = 0; i < bits; ++i) {
    const bool inside = i < length && position + i < bits;
    const bool bit = inside ? (wrap<T>(a) >> (position + i) & 1) != 0 : sign;
    if (bit) result |= static_cast<T>(T{1} << i);
  }
  return result;
}
/// The low `length` bits of a in place of those of b from `position` on.
template <class T, class A, class B>
T bfi(A a, B b, u32 position, u32 length) {
  T result = as<T>(b);
  for (u32 i = 0; i < (length & 255) && i + (position & 255) < 8 * sizeof(T); ++i) {
    const T bit = T{1} << (i + (position & 255));
    result = (as<T>(a) >> i & 1) != 0 ? result | bit : result & ~bit;
  }
  return result;
}
template <class T, class A>
T brev(A a) {
  return sizeof(T) == 4 ? static_cast<T>(__brev(as<u32>(a))) : static_cast<T>(__brevll(as<u64>(a)));
}
template <class T, class A>
u32 popc(A a) {
  return static_cast<u32>(std::popcount(wrap<T>(a)));
}
template <class T, class A>
u32 clz(A a) {
  return static_cast<u32>(std::countl_zero(wrap<T>(a)));
}
template <class T, class A>
u32 bfind(A a) {
  const T value = as<T>(a);
  const auto bits = wrap<T>(std::is_signed_v<T> && value < T{} ? static_cast<T>(~value) : value);
  return bits == 0 ? ~u32{0} : 8 * sizeof(T) - 1 - static_cast<u32>(std::countl_zero(bits));
}
/// By how many bits the one that was found is shifted to be the highest.
template <class T, class A>
u32 bfind_shiftamt(A a) {
  const u32 found = bfind<T>(a);
  return found == ~u32{0} ? found : 8 * sizeof(T) - 1 - found;
}
template <class T>
T prmt(u32 a, u32 b, u32 selector) {
  return __byte_perm(a, b, selector);
}
/// Bit by bit: which of the table's eight bits the three inputs choose.
template <class T>
T lop3(u32 a, u32 b, u32 c, u32 table) {
  T result = 0;
  for (u32 i = 0; i < 8; ++i) {
    if ((table >> i & 1) == 0) continue;
    result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  }
  return result;
}
inline u32 low(u64 value) { return static_cast<u32>(value); }
inline u32 high(u64 value) { return static_cast<u32>(value >> 32); }
inline u32 low(double value) { return low(as<u64>(value)); }
inline u32 high(double value) { return high(as<u64>(value)); }
inline u16 low(u32 value) { return static_cast<u16>(value); }
inline u16 high(u32 value) { return static_cast<u16>(value >> 16); }
template <class T, class A, class B>
T packed(A first, B second) {
  if constexpr (sizeof(T) == 8) return as<T>(u64{as<u32>(second)} << 32 | as<u32>(first));
  if constexpr (sizeof(T) == 4) return as<T>(u32{as<u16>(second)} << 16 | as<u16>(first));
}

}  // namespace simt::ptx
