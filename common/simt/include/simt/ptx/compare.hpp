/// @file
/// Comparisons and conversions of PTX.
#pragma once

#include <cmath>

#include "simt/ptx/registers.hpp"

namespace simt::ptx {

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

}  // namespace simt::ptx
