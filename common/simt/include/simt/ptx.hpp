/// @file
/// What inline PTX becomes: each instruction a call, each register a variable.
/// Source: PTX ISA, "Instruction Set".
#ifndef SIMT_PTX_HPP
#define SIMT_PTX_HPP

#include <time.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "simt/address_space.hpp"
#include "simt/async_copy.hpp"
#include "simt/collective.hpp"
#include "simt/device_functions.hpp"
#include "simt/warp.hpp"

namespace simt::ptx {

using u8 = std::uint8_t;
using s8 = std::int8_t;
using b8 = std::uint8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using b16 = std::uint16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using b32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using b64 = std::uint64_t;
using f32 = float;
using f64 = double;
using pred = bool;

/// A register's bits as another type: whole numbers are cut or extended, others keep their bits.
template <class To, class From>
To as(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    return static_cast<To>(value);
  } else if constexpr (sizeof(To) == sizeof(From)) {
    return std::bit_cast<To>(value);
  } else {
    // A literal where a floating-point number is meant.
    return static_cast<To>(value);
  }
}
template <class To, class From>
void put(To& to, From value) {
  to = as<To>(value);
}

/// A C++ value as the register that a constraint names: "h" 16 bits, "r" 32, "l" 64.
template <class Register, class T>
Register in(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<Register>(reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_array_v<T>) {
    return static_cast<Register>(reinterpret_cast<std::uintptr_t>(&value[0]));
  } else if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>) {
    return as<Register>(value);
  } else {
    return std::bit_cast<Register>(value);
  }
}
template <class T, class Register>
void out(T& to, Register value) {
  if constexpr (std::is_pointer_v<T>) {
    to = reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    to = as<T>(value);
  } else {
    to = std::bit_cast<T>(value);
  }
}

// Arithmetic. Whole numbers wrap.

template <class T>
using Wrapping =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>;
template <class T, class A>
typename Wrapping<T>::type wrap(A value) {
  return as<typename Wrapping<T>::type>(as<T>(value));
}
template <class T>
using Wider = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>,
                       std::conditional_t<std::is_signed_v<T>, s32, u32>>>;

template <class T, class A, class B>
T add(A a, B b) {
  return static_cast<T>(wrap<T>(a) + wrap<T>(b));
}
template <class T, class A, class B>
T sub(A a, B b) {
  return static_cast<T>(wrap<T>(a) - wrap<T>(b));
}
template <class T, class A, class B>
Wider<T> mul_wide(A a, B b) {
  return static_cast<Wider<T>>(as<T>(a)) * static_cast<Wider<T>>(as<T>(b));
}
template <class T, class A, class B>
T mul_lo(A a, B b) {
  return static_cast<T>(mul_wide<std::make_unsigned_t<T>>(a, b));
}
template <class T, class A, class B>
T mul_hi(A a, B b) {
  return static_cast<T>(mul_wide<T>(a, b) >> (8 * sizeof(T)));
}
template <class T, class A, class B>
T mul(A a, B b) {
  return as<T>(a) * as<T>(b);
}
template <class T, class A, class B, class C>
T fma(A a, B b, C c) {
  return std::fma(as<T>(a), as<T>(b), as<T>(c));
}
template <class T, class A, class B, class C>
T mad(A a, B b, C c) {
  return fma<T>(a, b, c);
}
template <class T, class A, class B, class C>
T mad_lo(A a, B b, C c) {
  return add<T>(mul_lo<T>(a, b), as<T>(c));
}
template <class T, class A, class B, class C>
T mad_hi(A a, B b, C c) {
  return add<T>(mul_hi<T>(a, b), as<T>(c));
}
template <class T, class A, class B, class C>
Wider<T> mad_wide(A a, B b, C c) {
  return add<Wider<T>>(mul_wide<T>(a, b), c);
}
template <class T, class A, class B>
T div(A a, B b) {
  return as<T>(a) / as<T>(b);
}
template <class T, class A, class B>
T div_full(A a, B b) {
  return div<T>(a, b);
}
template <class T, class A, class B>
T rem(A a, B b) {
  return as<T>(a) % as<T>(b);
}
template <class T, class A, class B>
T min(A a, B b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmin(as<T>(a), as<T>(b));
  return as<T>(a) < as<T>(b) ? as<T>(a) : as<T>(b);
}
template <class T, class A, class B>
T max(A a, B b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmax(as<T>(a), as<T>(b));
  return as<T>(a) < as<T>(b) ? as<T>(b) : as<T>(a);
}
template <class T, class A>
T neg(A a) {
  if constexpr (std::is_floating_point_v<T>) return -as<T>(a);
  return static_cast<T>(0 - wrap<T>(a));
}
template <class T, class A>
T abs(A a) {
  if constexpr (std::is_floating_point_v<T>) return std::fabs(as<T>(a));
  return as<T>(a) < 0 ? neg<T>(a) : as<T>(a);
}
template <class T, class A, class B, class C>
T sad(A a, B b, C c) {
  const T difference = as<T>(a) < as<T>(b) ? sub<T>(b, a) : sub<T>(a, b);
  return add<T>(c, difference);
}
template <class T, class A, class B>
T copysign(A a, B b) {
  return std::copysign(as<T>(b), as<T>(a));
}
template <class T, class A>
T sqrt(A a) {
  return std::sqrt(as<T>(a));
}
template <class T, class A>
T rsqrt(A a) {
  return 1 / std::sqrt(as<T>(a));
}
template <class T, class A>
T rcp(A a) {
  return 1 / as<T>(a);
}
template <class T, class A>
T ex2(A a) {
  return std::exp2(as<T>(a));
}
template <class T, class A>
T lg2(A a) {
  return std::log2(as<T>(a));
}
template <class T, class A>
T sin(A a) {
  return std::sin(as<T>(a));
}
template <class T, class A>
T cos(A a) {
  return std::cos(as<T>(a));
}
template <class T, class A>
T tanh(A a) {
  return std::tanh(as<T>(a));
}

// Bits.

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

// Comparisons and conversions.

template <class T, class A, class B>
bool is_eq(A a, B b) {
  return as<T>(a) == as<T>(b);
}
template <class T, class A, class B>
bool is_ne(A a, B b) {
  return as<T>(a) != as<T>(b);
}
template <class T, class A, class B>
bool is_lt(A a, B b) {
  return as<T>(a) < as<T>(b);
}
template <class T, class A, class B>
bool is_le(A a, B b) {
  return as<T>(a) <= as<T>(b);
}
template <class T, class A, class B>
bool is_gt(A a, B b) {
  return as<T>(a) > as<T>(b);
}
template <class T, class A, class B>
bool is_ge(A a, B b) {
  return as<T>(a) >= as<T>(b);
}
template <class T, class A, class B>
bool is_lo(A a, B b) {
  return is_lt<T>(a, b);
}
template <class T, class A, class B>
bool is_ls(A a, B b) {
  return is_le<T>(a, b);
}
template <class T, class A, class B>
bool is_hi(A a, B b) {
  return is_gt<T>(a, b);
}
template <class T, class A, class B>
bool is_hs(A a, B b) {
  return is_ge<T>(a, b);
}
template <class T, class A, class B>
T select(A a, B b, bool first) {
  return first ? as<T>(a) : as<T>(b);
}
template <class To, class From, class A>
To convert(A a) {
  return static_cast<To>(as<From>(a));
}
template <class To, class From, class A>
To convert_nearest(A a) {
  return static_cast<To>(std::nearbyint(as<From>(a)));
}
inline u32 round_tf32(float value) { return (as<u32>(value) + 0x1000u) & 0xFFFFE000u; }

// Memory.

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
template <class T>
T load_acquire(const T* from) {
  T value;
  __atomic_load(from, &value, __ATOMIC_ACQUIRE);
  return value;
}
template <class T, class A>
void store(T* to, A value) {
  *to = as<T>(value);
}
template <class T, class A>
void store_release(T* to, A value) {
  T stored = as<T>(value);
  __atomic_store(to, &stored, __ATOMIC_RELEASE);
}

/// *to = next(*to), at once; gives what was there.
template <class T, class Next>
T update(T* to, Next next) {
  T old = load_acquire(to);
  T wanted = next(old);
  while (!__atomic_compare_exchange(to, &old, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    wanted = next(old);
  }
  return old;
}
template <class T, class A>
T atomic_add(T* to, A value) {
  return update(to, [=](T old) { return add<T>(old, value); });
}
template <class T, class A>
T atomic_min(T* to, A value) {
  return update(to, [=](T old) { return min<T>(old, value); });
}
template <class T, class A>
T atomic_max(T* to, A value) {
  return update(to, [=](T old) { return max<T>(old, value); });
}
template <class T, class A>
T atomic_and(T* to, A value) {
  return update(to, [=](T old) { return and_<T>(old, value); });
}
template <class T, class A>
T atomic_or(T* to, A value) {
  return update(to, [=](T old) { return or_<T>(old, value); });
}
template <class T, class A>
T atomic_xor(T* to, A value) {
  return update(to, [=](T old) { return xor_<T>(old, value); });
}
template <class T, class A>
T atomic_inc(T* to, A most) {
  return update(to, [=](T old) { return old >= as<T>(most) ? T{} : static_cast<T>(old + 1); });
}
template <class T, class A>
T atomic_dec(T* to, A most) {
  return update(to, [=](T old) {
    return old == T{} || old > as<T>(most) ? as<T>(most) : static_cast<T>(old - 1);
  });
}
template <class T, class A>
T atomic_exch(T* to, A value) {
  return update(to, [=](T) { return as<T>(value); });
}
template <class T, class A, class B>
T atomic_cas(T* to, A expected, B value) {
  return update(to, [=](T old) { return old == as<T>(expected) ? as<T>(value) : old; });
}

inline void copy_async(void* to, const void* from, u32 size, u32 read) {
  async_copy(to, from, size, size - (read < size ? read : size));
}

// Threads.

inline u32 warp_count() { return (detail::current_block->thread_count + 31) / 32; }
inline u32 multiprocessor() { return static_cast<u32>(detail::current_block->linear_index % 4); }
inline u64 nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<u64>(now.tv_sec) * 1000000000u + static_cast<u64>(now.tv_nsec);
}
/// bar.sync: barrier `number` of the first `threads` to come.
inline void barrier(u32 number, u32 threads) {
  static constexpr char keys[16] = {};
  named_barrier(&keys[number % 16], threads);
}
inline void barrier(u32 number) {
  if (number == 0) {
    __syncthreads();
  } else {
    barrier(number, detail::current_block->thread_count);
  }
}
/// The width of a shuffle's segments, which PTX has as bits that lanes must share.
inline int shuffle_width(u32 clamp) { return 32 - static_cast<int>(clamp >> 8 & 31); }
inline u32 shuffle_idx(u32 value, u32 lane, u32 clamp, u32 mask) {
  return __shfl_sync(mask, value, static_cast<int>(lane), shuffle_width(clamp));
}
inline u32 shuffle_up(u32 value, u32 by, u32 clamp, u32 mask) {
  return __shfl_up_sync(mask, value, by, shuffle_width(clamp));
}
inline u32 shuffle_down(u32 value, u32 by, u32 clamp, u32 mask) {
  return __shfl_down_sync(mask, value, by, shuffle_width(clamp));
}
inline u32 shuffle_bfly(u32 value, u32 lanes, u32 clamp, u32 mask) {
  return __shfl_xor_sync(mask, value, static_cast<int>(lanes), shuffle_width(clamp));
}

}  // namespace simt::ptx

#endif
