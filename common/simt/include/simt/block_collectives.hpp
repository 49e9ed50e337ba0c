/// @file
/// Shuffles and votes of a kernel that runs as loops over its threads: each is computed for all
/// threads of the block at once. `simt_all_F(block, inside, results, arguments...)` is F for the
/// threads t with inside[t]: of thread t, arguments[t] and results[t].
#ifndef SIMT_BLOCK_COLLECTIVES_HPP
#define SIMT_BLOCK_COLLECTIVES_HPP

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "simt/block_run.hpp"
#include "simt/warp.hpp"

namespace simt {

/// An argument that is the same for all threads.
template <class T>
struct SameForAll {
  T value;
  constexpr const T& operator[](std::ptrdiff_t) const { return value; }
};

/// What has a T for each thread.
template <class Given, class T>
concept ElementsOf =
    std::is_same_v<std::remove_cv_t<T>,
                   std::remove_cvref_t<decltype(std::declval<const Given&>()[std::ptrdiff_t{}])>>;

template <class T>
inline constexpr bool kIsSameForAll = false;
template <class T>
inline constexpr bool kIsSameForAll<SameForAll<T>> = true;

/// The addresses that `place(t)` gives each thread t.
template <class Place>
struct EachPlace {
  Place place;
  constexpr auto* operator[](std::ptrdiff_t thread) const { return place(thread); }
};

/// Such addresses that lie within each thread's `Variable`, of which there is one array; if a
/// variable is made of what is at the addresses, they are as far apart as the variables.
template <class Place, class Variable>
struct EvenPlaces {
  Place place;
  constexpr auto* operator[](std::ptrdiff_t thread) const { return place(thread); }
  static constexpr std::ptrdiff_t kDistance = sizeof(Variable);
  static constexpr bool kEven =
      std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<Variable>>,
                     std::remove_cvref_t<decltype(*std::declval<const Place&>()(0))>>;
};
template <class Places>
inline constexpr bool kAreEven = false;
template <class Place, class Variable>
inline constexpr bool kAreEven<EvenPlaces<Place, Variable>> = EvenPlaces<Place, Variable>::kEven;

/// What a collective gives each thread; one that gives nothing has something to store all the same.
template <class T>
using Result = std::conditional_t<std::is_void_v<T>, char, T>;

template <class T>
[[gnu::always_inline]] inline T result_of(const Result<T>& stored) {
  if constexpr (!std::is_void_v<T>) return stored;
}

/// Where a call's results go whose function returns them as they are: to that function's own, if
/// they are of the same type.
template <class T, class Returned>
[[gnu::always_inline]] inline T* results_of_call(BlockRun& block, unsigned slot,
                                                 Returned* returned) {
  if constexpr (std::is_same_v<T, Returned>) {
    return returned;
  } else {
    return block.per_thread<T>(slot);
  }
}

/// The address of what a reference would refer to.
template <class T>
[[gnu::always_inline]] constexpr std::remove_reference_t<T>* place_of(T&& place) {
  static_assert(std::is_lvalue_reference_v<T>, "not confirmed for a split");
  return __builtin_addressof(place);
}

/// Does a reference, initialised with an expression of type `Place`, refer to that itself, and not
/// to something made of it?
template <class Reference, class Place>
inline constexpr bool kIsPlaceOf = std::is_lvalue_reference_v<Place>&&
    std::is_same_v<std::remove_cvref_t<Reference>, std::remove_cvref_t<Place>>;

namespace detail {

/// The flags of a block in which no thread is left out.
struct AllInside {
  bool flags[1024];
  constexpr AllInside() : flags() {
    for (bool& flag : flags) flag = true;
  }
  constexpr const bool* data() const { return flags; }
};
inline constexpr AllInside kAllInside;

/// Ends the kernel: lanes of `mask` do other things than to come to the collective.
[[noreturn]] void lanes_do_not_meet(unsigned warp, unsigned mask, unsigned came);

/// The lanes of a warp of which a flag is set.
inline unsigned lanes_of(const bool* flags, std::ptrdiff_t base, std::ptrdiff_t count) {
  unsigned lanes = 0;
  std::ptrdiff_t lane = 0;
  for (; lane + 8 <= count; lane += 8) {
    // The product brings the lowest bits of the eight bytes together, in the highest byte.
    const std::uint64_t bits = eight_flags(flags + base + lane) * 0x0102040810204080u >> 56;
    lanes |= static_cast<unsigned>(bits) << lane;
  }
  for (; lane < count; ++lane) lanes |= static_cast<unsigned>(flags[base + lane]) << lane;
  return lanes;
}

/// Calls compute(first thread, threads, lanes that came) for each warp of which any came. All lanes
/// that a mask names have to arrive, except those that have ended.
template <class Masks, class Compute>
[[gnu::always_inline]] inline void for_warps(const BlockRun& block, const bool* inside,
                                             const Masks& masks, const Compute& compute) {
  constexpr std::ptrdiff_t kLanes = 32;
  const auto threads = static_cast<std::ptrdiff_t>(block.threads());
  for (std::ptrdiff_t base = 0; base < threads; base += kLanes) {
    const std::ptrdiff_t count = threads - base < kLanes ? threads - base : kLanes;
    const unsigned all = count == kLanes ? ~0u : (1u << count) - 1;
    if (inside == kAllInside.data()) {
      compute(base, count, all);
      continue;
    }
    const unsigned came = lanes_of(inside, base, count);
    if (came == 0) continue;
    const unsigned alive = block.alive == nullptr ? all : lanes_of(block.alive, base, count);
    for (unsigned rest = came; rest != 0; rest &= rest - 1) {
      const auto mask = static_cast<unsigned>(masks[base + std::countr_zero(rest)]);
      if ((mask & alive & ~came) != 0) {
        lanes_do_not_meet(static_cast<unsigned>(base / kLanes), mask, came);
      }
    }
    compute(base, count, came);
  }
}

/// What a lane gets of one that takes no part: a value of zero bytes.
template <class T>
T nothing_of() {
  struct Bytes {
    unsigned char bytes[sizeof(T)];
  };
  return std::bit_cast<T>(Bytes{});
}

/// Results of a whole warp's shuffle_xor with `kBits`, where values are words of four bytes that
/// lie one after another: as vectors, which stay in registers between their being loaded and
/// stored.
template <int kBits, class T>
[[gnu::always_inline]] inline void exchange_words(T* results, const T* values) {
  constexpr int kWords = 8;
  using Words [[gnu::vector_size(kWords * sizeof(int))]] = int;
  using Place [[gnu::may_alias, gnu::aligned(1)]] = Words;
  const auto* from = reinterpret_cast<const Place*>(values);
  auto* to = reinterpret_cast<Place*>(results);
  // By reference: without AVX such a vector is not returned in the same way.
  const auto exchange = [&](Words & words, int v) __attribute__((always_inline)) {
    constexpr int k = kBits % kWords;
    words = from[v ^ kBits / kWords];
    if constexpr (k != 0) {
      words =
          __builtin_shufflevector(words, words, k, 1 ^ k, 2 ^ k, 3 ^ k, 4 ^ k, 5 ^ k, 6 ^ k, 7 ^ k);
    }
  };
  Words first, second, third, fourth;
  exchange(first, 0), exchange(second, 1), exchange(third, 2), exchange(fourth, 3);
  to[0] = first, to[1] = second, to[2] = third, to[3] = fourth;
}

/// A shuffle_xor of whole warps, all lanes with the same `bits`. Returns false if it is none of
/// those for which there are vectors.
template <class T>
[[gnu::always_inline]] inline bool exchange_warps(T* results, const T* values,
                                                  std::ptrdiff_t threads, int bits) {
  const auto exchange = [&](auto constant) __attribute__((always_inline)) {
    for (std::ptrdiff_t base = 0; base < threads; base += kWarpSize) {
      exchange_words<constant()>(results + base, values + base);
    }
    return true;
  };
  switch (bits) {
    case 1:
      return exchange(std::integral_constant<int, 1>{});
    case 2:
      return exchange(std::integral_constant<int, 2>{});
    case 4:
      return exchange(std::integral_constant<int, 4>{});
    case 8:
      return exchange(std::integral_constant<int, 8>{});
    case 16:
      return exchange(std::integral_constant<int, 16>{});
    default:
      return false;
  }
}

/// A shuffle of a whole warp, in which all lanes have the same parameter.
template <WarpOperation kOperation, class Results, class Values>
[[gnu::always_inline]] inline void shuffle_warp(Results* results, const Values& values,
                                                int parameter) {
  std::remove_cvref_t<decltype(values[0])> all[kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) all[lane] = values[lane];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    results[lane] = all[source_lane<kOperation>(lane, parameter, kWarpSize)];
  }
}

/// Can exchange_warps do it?
template <WarpOperation kOperation, class Results, class Values>
inline constexpr bool kHasExchange =
    kOperation == WarpOperation::shuffle_xor && sizeof(Results) == sizeof(int) &&
    std::is_trivially_copyable_v<Results>&& std::is_same_v<
        std::remove_cvref_t<decltype(&std::declval<Values&>()[0])>, Results*>;

template <WarpOperation kOperation, class Results, class Masks, class Values, class Parameters,
          class Widths>
[[gnu::always_inline]] inline void shuffle_all(const BlockRun& block, const bool* inside,
                                               Results* results, const Masks& masks,
                                               const Values& values, const Parameters& parameters,
                                               const Widths& widths) {
  if constexpr (kIsSameForAll<Parameters> && kIsSameForAll<Widths> &&
                kHasExchange<kOperation, Results, Values>) {
    const auto threads = static_cast<std::ptrdiff_t>(block.threads());
    const bool whole = inside == kAllInside.data() && threads % kWarpSize == 0 &&
                       widths.value == static_cast<int>(kWarpSize);
    if (whole && exchange_warps(results, &values[0], threads, static_cast<int>(parameters.value))) {
      return;
    }
  }
  const auto source_of = [&](std::ptrdiff_t base, unsigned lane) {
    return source_lane<kOperation>(lane, static_cast<int>(parameters[base + lane]),
                                   static_cast<int>(widths[base + lane]));
  };
  for_warps(block, inside, masks, [&](std::ptrdiff_t base, std::ptrdiff_t count, unsigned came) {
    if constexpr (kIsSameForAll<Parameters> && kIsSameForAll<Widths>) {
      if (came == ~0u && widths.value == static_cast<int>(kWarpSize)) {
        if constexpr (kHasExchange<kOperation, Results, Values>) {
          if (exchange_warps(results + base, &values[base], kWarpSize,
                             static_cast<int>(parameters.value))) {
            return;
          }
        }
        const auto of_warp = [&] {
          if constexpr (kIsSameForAll<Values>) {
            return values;
          } else {
            return &values[base];
          }
        }();
        shuffle_warp<kOperation>(results + base, of_warp, static_cast<int>(parameters.value));
        return;
      }
    }
    if (came == ~0u) {
#pragma omp simd
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        results[base + lane] = values[base + source_of(base, lane)];
      }
      return;
    }
    for (unsigned lane = 0; lane < count; ++lane) {
      if ((came >> lane & 1) == 0) continue;
      const unsigned from = source_of(base, lane);
      const bool present = (came >> from & 1) != 0;
      results[base + lane] =
          present ? static_cast<Results>(values[base + from]) : nothing_of<Results>();
    }
  });
}

inline constexpr SameForAll<int> kWholeWarp{32};

/// The lanes that came whose predicate holds.
template <class Predicates>
[[gnu::always_inline]] inline unsigned ballot_of(const Predicates& predicates, std::ptrdiff_t base,
                                                 std::ptrdiff_t count, unsigned came) {
  unsigned lanes = 0;
  for (std::ptrdiff_t lane = 0; lane < count; ++lane) {
    if ((came >> lane & 1) == 0) continue;
    lanes |= static_cast<unsigned>(predicates[base + lane] != 0) << lane;
  }
  return lanes;
}

/// The result of a vote, for all lanes that came with a mask: `result(ballot, lanes)`. Groups of
/// lanes with masks of their own vote for themselves.
template <class Results, class Masks, class Predicates, class Outcome>
[[gnu::always_inline]] inline void vote_all(const BlockRun& block, const bool* inside,
                                            Results* results, const Masks& masks,
                                            const Predicates& predicates, const Outcome& outcome) {
  for_warps(block, inside, masks, [&](std::ptrdiff_t base, std::ptrdiff_t count, unsigned came) {
    const unsigned ballot = ballot_of(predicates, base, count, came);
    for (std::ptrdiff_t lane = 0; lane < count; ++lane) {
      if ((came >> lane & 1) == 0) continue;
      const unsigned group = static_cast<unsigned>(masks[base + lane]) & came;
      results[base + lane] = static_cast<Results>(outcome(ballot & group, group));
    }
  });
}

/// A reduction over the lanes of each mask.
template <class Results, class Masks, class Values, class Operation>
[[gnu::always_inline]] inline void reduce_all(const BlockRun& block, const bool* inside,
                                              Results* results, const Masks& masks,
                                              const Values& values, const Operation& operation) {
  for_warps(block, inside, masks, [&](std::ptrdiff_t base, std::ptrdiff_t, unsigned came) {
    unsigned left = came;
    while (left != 0) {
      const int first = std::countr_zero(left);
      const unsigned mask = static_cast<unsigned>(masks[base + first]);
      const unsigned group = mask & came;
      auto sum = values[base + first];
      for (unsigned rest = group & ~(1u << first); rest != 0; rest &= rest - 1) {
        sum = operation(sum, values[base + std::countr_zero(rest)]);
      }
      for (unsigned rest = group; rest != 0; rest &= rest - 1) {
        results[base + std::countr_zero(rest)] = sum;
      }
      left &= ~(group | 1u << first);
    }
  });
}

}  // namespace detail
}  // namespace simt

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names.

template <class Results, class Masks = simt::SameForAll<unsigned>>
[[gnu::always_inline]] inline void simt_all___syncwarp(
    const simt::BlockRun& block, const bool* inside, Results*,
    const Masks& masks = simt::SameForAll<unsigned>{~0u}) {
  if (inside == simt::detail::kAllInside.data()) return;
  simt::detail::for_warps(block, inside, masks, [](std::ptrdiff_t, std::ptrdiff_t, unsigned) {});
}

template <class Results, class Masks, class Values, class Lanes,
          class Widths = simt::SameForAll<int>>
[[gnu::always_inline]] inline void simt_all___shfl_sync(
    const simt::BlockRun& block, const bool* inside, Results* results, const Masks& masks,
    const Values& values, const Lanes& lanes, const Widths& widths = simt::detail::kWholeWarp) {
  simt::detail::shuffle_all<simt::WarpOperation::shuffle_index>(block, inside, results, masks,
                                                                values, lanes, widths);
}
template <class Results, class Masks, class Values, class Deltas,
          class Widths = simt::SameForAll<int>>
[[gnu::always_inline]] inline void simt_all___shfl_up_sync(
    const simt::BlockRun& block, const bool* inside, Results* results, const Masks& masks,
    const Values& values, const Deltas& deltas, const Widths& widths = simt::detail::kWholeWarp) {
  simt::detail::shuffle_all<simt::WarpOperation::shuffle_up>(block, inside, results, masks, values,
                                                             deltas, widths);
}
template <class Results, class Masks, class Values, class Deltas,
          class Widths = simt::SameForAll<int>>
[[gnu::always_inline]] inline void simt_all___shfl_down_sync(
    const simt::BlockRun& block, const bool* inside, Results* results, const Masks& masks,
    const Values& values, const Deltas& deltas, const Widths& widths = simt::detail::kWholeWarp) {
  simt::detail::shuffle_all<simt::WarpOperation::shuffle_down>(block, inside, results, masks,
                                                               values, deltas, widths);
}
template <class Results, class Masks, class Values, class Bits,
          class Widths = simt::SameForAll<int>>
[[gnu::always_inline]] inline void simt_all___shfl_xor_sync(
    const simt::BlockRun& block, const bool* inside, Results* results, const Masks& masks,
    const Values& values, const Bits& bits, const Widths& widths = simt::detail::kWholeWarp) {
  simt::detail::shuffle_all<simt::WarpOperation::shuffle_xor>(block, inside, results, masks, values,
                                                              bits, widths);
}

template <class Results, class Masks, class Predicates>
[[gnu::always_inline]] inline void simt_all___ballot_sync(const simt::BlockRun& block,
                                                          const bool* inside, Results* results,
                                                          const Masks& masks,
                                                          const Predicates& predicates) {
  simt::detail::vote_all(block, inside, results, masks, predicates,
                         [](unsigned ballot, unsigned) { return ballot; });
}
template <class Results, class Masks, class Predicates>
[[gnu::always_inline]] inline void simt_all___any_sync(const simt::BlockRun& block,
                                                       const bool* inside, Results* results,
                                                       const Masks& masks,
                                                       const Predicates& predicates) {
  simt::detail::vote_all(block, inside, results, masks, predicates,
                         [](unsigned ballot, unsigned) { return ballot != 0; });
}
template <class Results, class Masks, class Predicates>
[[gnu::always_inline]] inline void simt_all___all_sync(const simt::BlockRun& block,
                                                       const bool* inside, Results* results,
                                                       const Masks& masks,
                                                       const Predicates& predicates) {
  simt::detail::vote_all(block, inside, results, masks, predicates,
                         [](unsigned ballot, unsigned lanes) { return ballot == lanes; });
}

// Sums wrap round as unsigned words do.
template <class Results, class Masks, class Values>
[[gnu::always_inline]] inline void simt_all___reduce_add_sync(const simt::BlockRun& block,
                                                              const bool* inside, Results* results,
                                                              const Masks& masks,
                                                              const Values& values) {
  simt::detail::reduce_all(block, inside, results, masks, values, [](auto a, auto b) {
    return static_cast<decltype(a)>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  });
}
template <class Results, class Masks, class Values>
[[gnu::always_inline]] inline void simt_all___reduce_min_sync(const simt::BlockRun& block,
                                                              const bool* inside, Results* results,
                                                              const Masks& masks,
                                                              const Values& values) {
  simt::detail::reduce_all(block, inside, results, masks, values,
                           [](auto a, auto b) { return b < a ? b : a; });
}
template <class Results, class Masks, class Values>
[[gnu::always_inline]] inline void simt_all___reduce_max_sync(const simt::BlockRun& block,
                                                              const bool* inside, Results* results,
                                                              const Masks& masks,
                                                              const Values& values) {
  simt::detail::reduce_all(block, inside, results, masks, values,
                           [](auto a, auto b) { return a < b ? b : a; });
}

// NOLINTEND(bugprone-reserved-identifier)

#endif
