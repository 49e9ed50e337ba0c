/// @file
/// The functions of WMMA in a kernel that runs as loops over its threads: each is called once for
/// all threads of the block. `simt_all_F(block, inside, results, arguments...)` is F for the
/// threads t with inside[t]; of a fragment, the argument of thread t is its address.
#ifndef SIMT_WMMA_BLOCK_FORMS_HPP
#define SIMT_WMMA_BLOCK_FORMS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "simt/block_collectives.hpp"
#include "simt/wmma/functions.hpp"

namespace nvcuda::wmma {

namespace detail {

/// What addresses of fragments, one for each thread, lead to.
template <class Fragments>
using FragmentAt = std::remove_cvref_t<decltype(*std::declval<const Fragments&>()[0])>;

/// Calls compute(first thread) for each warp that comes. All of its lanes have to.
template <class Compute>
void for_whole_warps(const simt::BlockRun& block, const bool* inside, const char* function,
                     const Compute& compute) {
  const auto whole = simt::SameForAll<unsigned>{0};  // who is missing is told below
  simt::detail::for_warps(
      block, inside, whole, [&](std::ptrdiff_t base, std::ptrdiff_t, unsigned came) {
        simt::wmma::require_whole_warp(came, function, static_cast<unsigned>(base / 32));
        compute(base);
      });
}

/// What all lanes of a warp say: `says(lane)`. Stops the kernel where they disagree; on a GPU they
/// would be at different instructions.
template <class Says>
bool agreed(std::ptrdiff_t base, const Says& says) {
  unsigned lanes = 0;
  for (int lane = 0; lane < 32; ++lane) lanes |= static_cast<unsigned>(says(lane)) << lane;
  if (lanes != 0 && lanes != ~0u) {
    simt::detail::lanes_do_not_meet(static_cast<unsigned>(base / 32), ~0u, lanes);
  }
  return lanes != 0;
}

/// require_aligned of every lane's place: of all at once, and one by one only if some lane's is
/// not.
template <class Places>
void require_aligned_places(const Places& place, unsigned multiple, const char* function) {
  std::uintptr_t beyond = 0;
#pragma omp simd reduction(| : beyond)
  for (int lane = 0; lane < 32; ++lane) {
    const Place own = place(lane);
    beyond |= reinterpret_cast<std::uintptr_t>(own.base) % multiple | own.line_bytes % 16;
  }
  if (beyond == 0) return;
  for (int lane = 0; lane < 32; ++lane) {
    const Place own = place(lane);
    simt::wmma::require_aligned(own.base, own.line_bytes, multiple, function);
  }
}

/// Are these the fragments of a product of doubles, or is this one of its factors, and do they lie
/// at equal distances?
template <class... Fragments>
inline constexpr bool kEvenDoubles =
    (simt::kAreEven<Fragments> && ...) &&
    (std::is_same_v<typename Traits<FragmentAt<Fragments>>::Element, double> && ...);

template <class Fragments>
simt::wmma::EvenParts even_parts(const Fragments& fragments, std::ptrdiff_t base) {
  auto* const first = const_cast<FragmentAt<Fragments>*>(fragments[base]);
  return {&Traits<FragmentAt<Fragments>>::layout(), reinterpret_cast<std::byte*>(first),
          static_cast<unsigned>(Fragments::kDistance)};
}

}  // namespace detail

/// Of an accumulator, `layouts` says how it is stored; a factor's type does.
template <class Fragments, class Pointers, class Strides,
          class Layouts = simt::SameForAll<layout_t>>
void simt_all_load_matrix_sync(const simt::BlockRun& block, const bool* inside, char*,
                               const Fragments& to, const Pointers& from, const Strides& ldm,
                               [[maybe_unused]] const Layouts& layouts = {}) {
  using Fragment = detail::FragmentAt<Fragments>;
  using Storage = typename detail::Traits<Fragment>::Storage;
  static constexpr const char* kName = "wmma::load_matrix_sync";
  detail::for_whole_warps(block, inside, kName, [&](std::ptrdiff_t base) {
    const auto place = [&](int lane) {
      const Storage* const matrix = from[base + lane];
      return detail::Place{to[base + lane],
                           reinterpret_cast<std::byte*>(const_cast<Storage*>(matrix)),
                           std::size_t{static_cast<unsigned>(ldm[base + lane])} * sizeof(Storage)};
    };
    detail::require_aligned_places(place, detail::kAddressMultiple, kName);
    if constexpr (detail::Traits<Fragment>::kFactor) {
      using Order = typename detail::Traits<Fragment>::Layout;
      using Lines = detail::Lines<Fragment, std::is_same_v<Order, row_major>>;
      if constexpr (detail::kEvenDoubles<Fragments>) {
        if (Lines::one_place(place)) {
          const detail::Place all = place(0);
          return simt::wmma::load_factor(detail::even_parts(to, base), all.base, all.line_bytes,
                                         Lines::kCount, std::is_same_v<Order, row_major>);
        }
      }
      Lines::load(place);
    } else {
      detail::agreed(base, [&](int lane) { return layouts[base + lane] == mem_row_major; })
          ? detail::Lines<Fragment, true>::load(place)
          : detail::Lines<Fragment, false>::load(place);
    }
  });
}

template <class Pointers, class Fragments, class Strides, class Layouts>
void simt_all_store_matrix_sync(const simt::BlockRun& block, const bool* inside, char*,
                                const Pointers& to, const Fragments& from, const Strides& ldm,
                                const Layouts& layouts) {
  using Fragment = detail::FragmentAt<Fragments>;
  using Storage = typename detail::Traits<Fragment>::Storage;
  static constexpr const char* kName = "wmma::store_matrix_sync";
  detail::for_whole_warps(block, inside, kName, [&](std::ptrdiff_t base) {
    const auto place = [&](int lane) {
      Storage* const matrix = to[base + lane];
      return detail::Place{const_cast<Fragment*>(from[base + lane]),
                           reinterpret_cast<std::byte*>(matrix),
                           std::size_t{static_cast<unsigned>(ldm[base + lane])} * sizeof(Storage)};
    };
    detail::require_aligned_places(place, detail::kAddressMultiple, kName);
    detail::agreed(base, [&](int lane) { return layouts[base + lane] == mem_row_major; })
        ? detail::Lines<Fragment, true>::store(place)
        : detail::Lines<Fragment, false>::store(place);
  });
}

template <class D, class A, class B, class C, class Flags = simt::SameForAll<bool>>
void simt_all_mma_sync(const simt::BlockRun& block, const bool* inside, char*, const D& d,
                       const A& a, const B& b, const C& c,
                       const Flags& saturate = simt::SameForAll<bool>{false}) {
  if constexpr (detail::kEvenDoubles<D, A, B, C>) {
    const auto multiply = [&](std::ptrdiff_t base, std::size_t warps) {
      simt::wmma::multiply_add(detail::even_parts(a, base), detail::even_parts(b, base),
                               detail::even_parts(c, base), detail::even_parts(d, base),
                               static_cast<unsigned>(warps));
    };
    if (inside == simt::detail::kAllInside.data() && block.threads() % 32 == 0) {
      return multiply(0, block.threads() / 32);
    }
    return detail::for_whole_warps(block, inside, "wmma::mma_sync",
                                   [&](std::ptrdiff_t base) { multiply(base, 1); });
  }
  detail::for_whole_warps(block, inside, "wmma::mma_sync", [&](std::ptrdiff_t base) {
    const auto multiply = [&](auto saturated) {
      detail::multiply_parts<detail::FragmentAt<D>, detail::FragmentAt<A>, detail::FragmentAt<B>,
                             detail::FragmentAt<C>, saturated.value>(
          [&](int lane) { return d[base + lane]; }, [&](int lane) { return a[base + lane]; },
          [&](int lane) { return b[base + lane]; }, [&](int lane) { return c[base + lane]; });
    };
    const bool saturates =
        detail::agreed(base, [&](int lane) { return static_cast<bool>(saturate[base + lane]); });
    if constexpr (detail::is_int8<typename detail::Traits<detail::FragmentAt<A>>::Element>) {
      if (saturates) return multiply(std::true_type{});
    }
    multiply(std::false_type{});
  });
}

}  // namespace nvcuda::wmma

#endif
