/// @file
/// Registers of PTX: types, and how values get in and out of them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

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
[[gnu::always_inline]] inline To as(From value) {
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
[[gnu::always_inline]] inline void put(To& to, From value) {
  to = as<To>(value);
}

/// A C++ value as the register that a constraint names: "h" 16 bits, "r" 32, "l" 64.
template <class Register, class T>
[[gnu::always_inline]] inline Register in(const T& value) {
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
[[gnu::always_inline]] inline void out(T& to, Register value) {
  if constexpr (std::is_pointer_v<T>) {
    to = reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    to = as<T>(value);
  } else {
    to = std::bit_cast<T>(value);
  }
}

}  // namespace simt::ptx
