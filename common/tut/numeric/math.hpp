#pragma once

#include <concepts>
#include <type_traits>

namespace tut {

/// The least integer not below a / b, for a >= 0 and b > 0: how many tiles of b cover a.
template <std::integral A, std::integral B>
constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  using Result = std::common_type_t<A, B>;
  return static_cast<Result>(a) / static_cast<Result>(b) +
         (static_cast<Result>(a) % static_cast<Result>(b) != 0 ? 1 : 0);
}

/// The least multiple of b that is not below a, for a >= 0 and b > 0.
template <std::integral A, std::integral B>
constexpr std::common_type_t<A, B> round_up(A a, B b) {
  return ceil_div(a, b) * static_cast<std::common_type_t<A, B>>(b);
}

}  // namespace tut
