/// @file
/// Arithmetic of PTX. Whole numbers wrap.
#pragma once

#include <cmath>

#include "simt/ptx/registers.hpp"

namespace simt::ptx {

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

}  // namespace simt::ptx
