#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tut {

/// What the checks have to know about an element type.
///
/// - `rounding`: the relative error of one rounding to T (half a unit in the last place);
/// - `underflow`: the absolute error of rounding where T is subnormal, 0 if it does not matter;
/// - `exact_integer`: every integer up to this size is exact in T;
/// - `Bits`, `unwritten`, `padding`: two bit patterns, NaN where T has one. Outputs start as
///   `unwritten`, everything around a matrix as `padding`. Neither is a NaN that arithmetic makes
///   by itself, so a result that still holds one was never written, or was read from outside.
///
/// tut/numeric/precision_cuda.hpp has half and bfloat16, tut/numeric/precision_fp8.hpp E4M3 and
/// E5M2.
template <class T>
struct Precision;

template <>
struct Precision<float> {
  static constexpr double rounding = 0x1p-24, underflow = 0;
  static constexpr double exact_integer = 0x1p24;
  using Bits = std::uint32_t;
  static constexpr Bits unwritten = 0x7FD00D1E, padding = 0x7FCAFE01;
};

template <>
struct Precision<double> {
  static constexpr double rounding = 0x1p-53, underflow = 0;
  static constexpr double exact_integer = 0x1p53;
  using Bits = std::uint64_t;
  static constexpr Bits unwritten = 0x7FFD00D1E0D1E0D1, padding = 0x7FFCAFE0CAFE0CAF;
};

template <std::integral T>
struct Precision<T> {
  static constexpr double rounding = 0, underflow = 0;
  static constexpr double exact_integer = static_cast<double>(std::numeric_limits<T>::max());
  using Bits = std::make_unsigned_t<T>;
  static constexpr Bits unwritten = static_cast<Bits>(0xA5A5A5A5A5A5A5A5),
                        padding = static_cast<Bits>(0x9696969696969696);
};

template <class T>
typename Precision<T>::Bits bits_of(const T& value) {
  typename Precision<T>::Bits bits;
  static_assert(sizeof(bits) == sizeof(T));
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <class T>
T from_bits(typename Precision<T>::Bits bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(bits));
  return value;
}

/// What an output holds before anything is written to it.
template <class T>
T unwritten_value() {
  return from_bits<T>(Precision<T>::unwritten);
}

/// What stands around a matrix: between its rows, before it and after it.
template <class T>
T padding_value() {
  return from_bits<T>(Precision<T>::padding);
}

template <class T>
bool is_unwritten(const T& value) {
  return bits_of(value) == Precision<T>::unwritten;
}

/// The value in double, exactly, for every type with a conversion to double or float.
template <class T>
double to_double(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

/// The value in T, rounded to nearest.
template <class T>
T from_float(float value) {
  return static_cast<T>(value);
}

}  // namespace tut
