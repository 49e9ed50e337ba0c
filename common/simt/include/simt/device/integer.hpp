/// @file
/// Integer intrinsics on whole words.
/// Source: CUDA Math API, "Integer Intrinsics"; PTX ISA, "prmt", "shf", "dp4a", "fns".
#pragma once

#include <bit>

#include "vector_types.h"

inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
/// 1 + the position of the lowest set bit; 0 for 0.
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

/// The bits in reverse order.
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}

/// Four bytes picked from y:x by the low three bits of each selector nibble; the nibble's top bit
/// copies the picked byte's sign over the whole byte.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long source = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 0xFu;
    unsigned byte = static_cast<unsigned>(source >> 8 * (nibble & 7u)) & 0xFFu;
    if (nibble & 8u) byte = byte & 0x80u ? 0xFFu : 0u;
    result |= byte << 8 * i;
  }
  return result;
}

/// Position of the offset-th set bit of mask counted from base (backwards for a negative offset;
/// offset 0: base itself if it is set); 0xFFFFFFFF if there is none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  base &= 31u;
  if (offset == 0) return mask >> base & 1u ? base : 0xFFFFFFFFu;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step) {
    if ((mask >> i & 1u) != 0 && --left == 0) return static_cast<unsigned>(i);
  }
  return 0xFFFFFFFFu;
}

inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int mulhi(int a, int b) { return __mulhi(a, b); }
inline unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
inline long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
inline unsigned long long umul64hi(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}

/// The low 32 bits of the product of the low 24 bits (sign-extended by __mul24).
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
inline int __mul24(int a, int b) {
  const long long x = static_cast<int>(static_cast<unsigned>(a) << 8) >> 8;
  const long long y = static_cast<int>(static_cast<unsigned>(b) << 8) >> 8;
  return static_cast<int>(x * y);
}
inline int mul24(int a, int b) { return __mul24(a, b); }
inline unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }

/// |x - y| + z.
inline unsigned __sad(int x, int y, unsigned z) {
  return z + (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                    : static_cast<unsigned>(y) - static_cast<unsigned>(x));
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
/// The average, rounded down (h) or up (rh), without overflow.
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

/// The 64 bits hi:lo shifted; the upper word of a left, the lower of a right shift. The shift is
/// taken modulo 32, or clamped to 32 in the `c` forms.
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned>(both << (shift < 32u ? shift : 32u) >> 32);
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return __funnelshift_lc(lo, hi, shift & 31u);
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(hi) << 32 | lo;
  return static_cast<unsigned>(both >> (shift < 32u ? shift : 32u));
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return __funnelshift_rc(lo, hi, shift & 31u);
}

namespace simt::detail {

/// Lane i of a word cut into lanes of type T.
template <class T>
inline T word_lane(unsigned word, unsigned i) {
  return static_cast<T>(word >> (8 * sizeof(T) * i));
}

/// acc + the products of A's lanes (from `first` on) with B's four bytes, modulo 2^32.
template <class A, class B>
inline unsigned dot_lanes(unsigned a, unsigned b, unsigned acc, unsigned first_b) {
  for (unsigned i = 0; i < 4 / sizeof(A); ++i) {
    acc += static_cast<unsigned>(word_lane<A>(a, i)) *
           static_cast<unsigned>(word_lane<B>(b, first_b + i));
  }
  return acc;
}

}  // namespace simt::detail

/// c + the four products of the bytes of a and b.
inline int __dp4a(int a, int b, int c) {
  return static_cast<int>(simt::detail::dot_lanes<signed char, signed char>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 0));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return simt::detail::dot_lanes<unsigned char, unsigned char>(a, b, c, 0);
}
inline int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(std::bit_cast<int>(a), std::bit_cast<int>(b), c);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c);
}
/// c + the products of a's two 16-bit lanes with the lower (lo) or upper (hi) two bytes of b.
inline int __dp2a_lo(int a, int b, int c) {
  return static_cast<int>(simt::detail::dot_lanes<short, signed char>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 0));
}
inline int __dp2a_hi(int a, int b, int c) {
  return static_cast<int>(simt::detail::dot_lanes<short, signed char>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 2));
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return simt::detail::dot_lanes<unsigned short, unsigned char>(a, b, c, 0);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return simt::detail::dot_lanes<unsigned short, unsigned char>(a, b, c, 2);
}
inline int __dp2a_lo(short2 a, char4 b, int c) {
  return __dp2a_lo(std::bit_cast<int>(a), std::bit_cast<int>(b), c);
}
inline int __dp2a_hi(short2 a, char4 b, int c) {
  return __dp2a_hi(std::bit_cast<int>(a), std::bit_cast<int>(b), c);
}
inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_lo(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c);
}
inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_hi(std::bit_cast<unsigned>(a), std::bit_cast<unsigned>(b), c);
}
