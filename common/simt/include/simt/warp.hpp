/// @file
/// Warp-level functions: votes, shuffles, match, reduce, __syncwarp, __activemask. Every lane named
/// in `mask` has to call the same function with the same mask; the lanes wait for each other. All
/// are part of their callers, whose lines check mode names.
/// Source: CUDA Programming Guide, "Warp Vote Functions", "Warp Match Functions", "Warp Reduce
/// Functions", "Warp Shuffle Functions", "Synchronization Functions".
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "simt/collective.hpp"

namespace simt {

/// The types a shuffle moves: specialise for a type of 2, 4 or 8 bytes.
template <class T>
struct Shuffled : std::false_type {};

namespace detail {

template <class T>
inline constexpr bool is_word =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> ||
    std::is_same_v<T, unsigned long long> || std::is_same_v<T, float> || std::is_same_v<T, double>;

/// What CUDA's overload set makes of an argument of type T: small integers become int.
template <class T>
using PassedAs = typename std::conditional_t<std::is_integral_v<T> && sizeof(T) < 4,
                                             std::type_identity<int>, std::type_identity<T>>::type;

template <class T>
concept ShuffleType = is_word<PassedAs<T>> || Shuffled<T>::value;

template <class T>
concept MatchType = is_word<PassedAs<T>>;

template <class T>
std::uint64_t to_bits(T value) {
  if constexpr (sizeof(T) == 2) {
    return std::bit_cast<std::uint16_t>(value);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return std::bit_cast<std::uint64_t>(value);
  }
}

template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<T>(bits);
  }
}

template <class T>
[[gnu::always_inline]] inline PassedAs<T> shuffle(WarpOperation operation, unsigned mask, T value,
                                                  int parameter, int width) {
  using Passed = PassedAs<T>;
  const Passed passed = value;
  return from_bits<Passed>(warp_collective(operation, mask, to_bits(passed), parameter, width));
}

[[gnu::always_inline]] inline unsigned reduce(WarpOperation operation, unsigned mask,
                                              unsigned value) {
  return static_cast<unsigned>(warp_collective(operation, mask, value));
}
[[gnu::always_inline]] inline int reduce(WarpOperation operation, unsigned mask, int value) {
  return static_cast<int>(reduce(operation, mask, static_cast<unsigned>(value)));
}

}  // namespace detail
}  // namespace simt

/// Waits for the lanes of `mask`; what they wrote before is visible to each other after.
[[gnu::always_inline]] inline void __syncwarp(unsigned mask = 0xFFFFFFFFu) {
  simt::warp_collective(simt::WarpOperation::sync, mask, 0);
}

namespace simt::detail {

/// One key for each line of the source; it is compared, never followed.
[[gnu::always_inline]] inline const void* site_of(const char* file, int line) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(file) +
                                       (static_cast<std::uintptr_t>(line) << 20));
}

}  // namespace simt::detail

/// The lanes that make this call together. It does not tell which lanes will arrive later, so a
/// mask taken from it is no barrier.
[[gnu::always_inline]] inline unsigned __activemask(const char* file = __builtin_FILE(),
                                                    int line = __builtin_LINE()) {
  return simt::converged_lanes(simt::detail::site_of(file, line), true);
}

[[gnu::always_inline]] inline int __all_sync(unsigned mask, int predicate) {
  return simt::warp_collective(simt::WarpOperation::all, mask, predicate != 0) != 0;
}
[[gnu::always_inline]] inline int __any_sync(unsigned mask, int predicate) {
  return simt::warp_collective(simt::WarpOperation::any, mask, predicate != 0) != 0;
}
[[gnu::always_inline]] inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(
      simt::warp_collective(simt::WarpOperation::ballot, mask, predicate != 0));
}

/// The value of lane `source` (modulo width) of this lane's segment of `width` lanes.
template <simt::detail::ShuffleType T>
[[gnu::always_inline]] inline auto __shfl_sync(unsigned mask, T value, int source,
                                               int width = warpSize) {
  return simt::detail::shuffle(simt::WarpOperation::shuffle_index, mask, value, source, width);
}
/// The value of the lane `delta` below; this lane's own where that is outside the segment.
template <simt::detail::ShuffleType T>
[[gnu::always_inline]] inline auto __shfl_up_sync(unsigned mask, T value, unsigned delta,
                                                  int width = warpSize) {
  return simt::detail::shuffle(simt::WarpOperation::shuffle_up, mask, value,
                               static_cast<int>(delta), width);
}
/// The value of the lane `delta` above; this lane's own where that is outside the segment.
template <simt::detail::ShuffleType T>
[[gnu::always_inline]] inline auto __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                                    int width = warpSize) {
  return simt::detail::shuffle(simt::WarpOperation::shuffle_down, mask, value,
                               static_cast<int>(delta), width);
}
/// The value of the lane whose number is this one's xor `lane_mask`.
template <simt::detail::ShuffleType T>
[[gnu::always_inline]] inline auto __shfl_xor_sync(unsigned mask, T value, int lane_mask,
                                                   int width = warpSize) {
  return simt::detail::shuffle(simt::WarpOperation::shuffle_xor, mask, value, lane_mask, width);
}

/// The lanes of `mask` whose value has the same bits as this lane's.
template <simt::detail::MatchType T>
[[gnu::always_inline]] inline unsigned __match_any_sync(unsigned mask, T value) {
  const simt::detail::PassedAs<T> passed = value;
  return static_cast<unsigned>(
      simt::warp_collective(simt::WarpOperation::match_any, mask, simt::detail::to_bits(passed)));
}
/// `mask` if all its lanes have the same value, else 0; *predicate says which.
template <simt::detail::MatchType T>
[[gnu::always_inline]] inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  const simt::detail::PassedAs<T> passed = value;
  const auto lanes = static_cast<unsigned>(
      simt::warp_collective(simt::WarpOperation::match_all, mask, simt::detail::to_bits(passed)));
  *predicate = lanes != 0 ? 1 : 0;
  return lanes;
}

[[gnu::always_inline]] inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return simt::detail::reduce(simt::WarpOperation::add, mask, value);
}
[[gnu::always_inline]] inline int __reduce_add_sync(unsigned mask, int value) {
  return simt::detail::reduce(simt::WarpOperation::add, mask, value);
}
[[gnu::always_inline]] inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return simt::detail::reduce(simt::WarpOperation::min_unsigned, mask, value);
}
[[gnu::always_inline]] inline int __reduce_min_sync(unsigned mask, int value) {
  return simt::detail::reduce(simt::WarpOperation::min_signed, mask, value);
}
[[gnu::always_inline]] inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return simt::detail::reduce(simt::WarpOperation::max_unsigned, mask, value);
}
[[gnu::always_inline]] inline int __reduce_max_sync(unsigned mask, int value) {
  return simt::detail::reduce(simt::WarpOperation::max_signed, mask, value);
}
[[gnu::always_inline]] inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return simt::detail::reduce(simt::WarpOperation::bit_and, mask, value);
}
[[gnu::always_inline]] inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return simt::detail::reduce(simt::WarpOperation::bit_or, mask, value);
}
[[gnu::always_inline]] inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return simt::detail::reduce(simt::WarpOperation::bit_xor, mask, value);
}
