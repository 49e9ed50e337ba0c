/// @file
/// Loading, storing, filling and multiplying fragments. All 32 lanes of a warp call them together.
/// Source: CUDA Programming Guide, "Warp Matrix Functions"; PTX ISA, "wmma.mma".
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/address_space.hpp"
#include "simt/collective.hpp"
#include "simt/wmma/access.hpp"
#include "simt/wmma/exchange.hpp"
#include "simt/wmma/fragment.hpp"
#include "simt/wmma/runtime.hpp"

namespace nvcuda::wmma {

namespace detail {

/// How a fragment's matrix is accessed. Rows of 16-bit factors in shared memory are read as
/// `ldmatrix` does, 16 bytes a lane; of other factors a lane reads 4 bytes (of double 8), eight
/// lines at a time, but of TF32, each number of which is one lane's alone, four numbers along k for
/// eight rows or columns; of a sum it holds pairs of neighbours in a row.
template <class Fragment, bool kByRows, bool kMatrices>
struct AccessOf {
  using Own = Traits<Fragment>;
  static constexpr int kElement = sizeof(typename Own::Storage);
  static constexpr int kLines = kByRows ? Own::kRows : Own::kColumns;
  static constexpr int kLineBytes = (kByRows ? Own::kColumns : Own::kRows) * kElement;
  using type = std::conditional_t<
      !Own::kFactor,
      std::conditional_t<kByRows, Access<kLines, kLineBytes, 2 * kElement, 4, 8>,
                         Access<kLines, kLineBytes, kElement, 8, 4>>,
      std::conditional_t<
          kMatrices, Access<kLines, kLineBytes, 16, 1, 8>,
          std::conditional_t<kElement == 4 && !Own::template kAlongK<kByRows>,
                             Access<kLines, kLineBytes, 4, 8, 4>,
                             Access<kLines, kLineBytes, kElement == 8 ? 8 : 4, 4, 8>>>>;
};

// Where somebody watches, every lane makes its own accesses: to a part of its stack, which the last
// to come exchanges for what the lanes hold.

/// The fragment of one lane and what it accesses in memory.
struct Part {
  void* fragment;
  std::byte* bytes;
};

/// Calls access(part(lane)'s bytes, the matrix's) for every piece of every lane; the matrix is
/// stored row by row.
template <class Fragment, class Used, bool kByRows, class Copy>
void visit_matrix(void* const* slots, Copy copy) {
  using Own = Traits<Fragment>;
  using Storage = typename Own::Storage;
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto* own = reinterpret_cast<Storage*>(static_cast<const Part*>(slots[lane])->bytes);
    Used::visit(lane, [&](int at, int line, int in_line) {
      for (int i = 0; i < Used::kPieceBytes / static_cast<int>(sizeof(Storage)); ++i) {
        const int place = in_line / static_cast<int>(sizeof(Storage)) + i;
        const int element = kByRows ? line * Own::kColumns + place : place * Own::kColumns + line;
        copy(own[at / static_cast<int>(sizeof(Storage)) + i], element);
      }
    });
  }
}

template <class Fragment, class Used, bool kByRows>
void hand_out(void* const* slots, unsigned lanes) {
  simt::wmma::require_whole_warp(lanes, "wmma::load_matrix_sync");
  alignas(64) typename Traits<Fragment>::Storage matrix[Traits<Fragment>::kSize];
  visit_matrix<Fragment, Used, kByRows>(
      slots, [&](const auto& own, int element) { matrix[element] = own; });
  scatter<Fragment>(matrix,
                    [=](int lane) { return static_cast<const Part*>(slots[lane])->fragment; });
}

template <class Fragment, class Used, bool kByRows>
void collect(void* const* slots, unsigned lanes) {
  simt::wmma::require_whole_warp(lanes, "wmma::store_matrix_sync");
  alignas(64) typename Traits<Fragment>::Storage matrix[Traits<Fragment>::kSize];
  gather<Fragment>(matrix,
                   [=](int lane) { return static_cast<const Part*>(slots[lane])->fragment; });
  visit_matrix<Fragment, Used, kByRows>(slots,
                                        [&](auto& own, int element) { own = matrix[element]; });
}

template <bool kByRows, bool kMatrices, class Fragment, class T>
[[gnu::always_inline]] inline void load_watched(Fragment& to, const T* from,
                                                std::size_t line_bytes) {
  using Used = typename AccessOf<Fragment, kByRows, kMatrices>::type;
  alignas(16) std::byte own[Used::kBytes];
  const auto* base = reinterpret_cast<const std::byte*>(from);
  Used::visit(
      simt::lane_id(), [&](int at, int line, int in_line) __attribute__((always_inline)) {
        copy_piece<Used::kPieceBytes>(own + at,
                                      base + static_cast<std::size_t>(line) * line_bytes + in_line);
      });
  Part part{&to, own};
  simt::warp_rendezvous(0xFFFFFFFFu, &hand_out<Fragment, Used, kByRows>, &part);
}

template <bool kByRows, class Fragment, class T>
[[gnu::always_inline]] inline void store_watched(T* to, const Fragment& from,
                                                 std::size_t line_bytes) {
  using Used = typename AccessOf<Fragment, kByRows, false>::type;
  alignas(16) std::byte own[Used::kBytes];
  Part part{const_cast<Fragment*>(&from), own};
  simt::warp_rendezvous(0xFFFFFFFFu, &collect<Fragment, Used, kByRows>, &part);
  auto* base = reinterpret_cast<std::byte*>(to);
  Used::visit(
      simt::lane_id(), [&](int at, int line, int in_line) __attribute__((always_inline)) {
        copy_piece<Used::kPieceBytes>(base + static_cast<std::size_t>(line) * line_bytes + in_line,
                                      own + at);
      });
}

// If nothing watches, the last lane to arrive copies the matrix for all.

/// The fragment of one lane, and where it says that the matrix is.
struct Place {
  void* fragment;
  std::byte* base;
  std::size_t line_bytes;
};

/// A matrix in memory as all lanes of a warp see it.
template <class Fragment, bool kByRows>
struct Lines {
  using Own = Traits<Fragment>;
  using Storage = typename Own::Storage;
  static constexpr int kCount = kByRows ? Own::kRows : Own::kColumns;
  static constexpr int kLength = kByRows ? Own::kColumns : Own::kRows;

  template <class Places>
  static bool one_place(Places place) {
    const auto base = [&](int lane) { return reinterpret_cast<std::uintptr_t>(place(lane).base); };
    std::uintptr_t apart = 0;
#pragma omp simd reduction(| : apart)
    for (int lane = 1; lane < 32; ++lane) {
      apart |= (base(lane) ^ base(0)) | (place(lane).line_bytes ^ place(0).line_bytes);
    }
    return apart == 0;
  }

  /// Copies line after line between memory and a matrix that is stored row by row.
  template <bool kLoad>
  static void copy(const Place& place, Storage* matrix) {
    for (int line = 0; line < kCount; ++line) {
      std::byte* there = place.base + static_cast<std::size_t>(line) * place.line_bytes;
      if constexpr (kByRows) {
        Storage* row = matrix + line * kLength;
        std::memcpy(kLoad ? static_cast<void*>(row) : there,
                    kLoad ? there : static_cast<void*>(row), sizeof(Storage) * kLength);
      } else {
        Storage* column = reinterpret_cast<Storage*>(there);
        for (int i = 0; i < kLength; ++i) {
          Storage& element = matrix[i * Own::kColumns + line];
          kLoad ? element = column[i] : column[i] = element;
        }
      }
    }
  }

  /// The same where lanes disagree, against the rules: each copies the pieces that are its own.
  template <bool kLoad, class Places>
  static void copy_apart(Places place, Storage* matrix) {
    using Used = typename AccessOf<Fragment, kByRows, false>::type;
    for (int lane = 0; lane < 32; ++lane) {
      const Place own = place(lane);
      Used::visit(static_cast<unsigned>(lane), [&](int, int line, int in_line) {
        auto* piece = reinterpret_cast<Storage*>(
            own.base + static_cast<std::size_t>(line) * own.line_bytes + in_line);
        for (int i = 0; i < Used::kPieceBytes / static_cast<int>(sizeof(Storage)); ++i) {
          const int at = in_line / static_cast<int>(sizeof(Storage)) + i;
          Storage& element =
              matrix[kByRows ? line * Own::kColumns + at : at * Own::kColumns + line];
          kLoad ? element = piece[i] : piece[i] = element;
        }
      });
    }
  }

  /// `place(lane)` is a lane's Place.
  template <class Places>
  static void load(Places place) {
    alignas(64) Storage matrix[Own::kSize];
    one_place(place) ? copy<true>(place(0), matrix) : copy_apart<true>(place, matrix);
    scatter<Fragment>(matrix, [=](int lane) { return place(lane).fragment; });
  }

  template <class Places>
  static void store(Places place) {
    alignas(64) Storage matrix[Own::kSize];
    gather<Fragment>(matrix, [=](int lane) { return place(lane).fragment; });
    one_place(place) ? copy<false>(place(0), matrix) : copy_apart<false>(place, matrix);
  }

  // The same for lanes that wait in a rendezvous.

  static auto places(void* const* slots) {
    return [slots](int lane) -> const Place& { return *static_cast<const Place*>(slots[lane]); };
  }
  static void load_waiting(void* const* slots, unsigned lanes) {
    simt::wmma::require_whole_warp(lanes, "wmma::load_matrix_sync");
    load(places(slots));
  }
  static void store_waiting(void* const* slots, unsigned lanes) {
    simt::wmma::require_whole_warp(lanes, "wmma::store_matrix_sync");
    store(places(slots));
  }
};

/// Whether this code is compiled to be watched. Only what is inlined may ask: of functions with one
/// name the linker takes one, from whatever object.
#ifdef __SIMT_WATCHED__
constexpr bool kWatched = true;
#else
constexpr bool kWatched = false;
#endif
constexpr unsigned kAddressMultiple = kWatched ? 32 : 16;

template <bool kByRows, class Fragment, class T>
[[gnu::always_inline]] inline void load_lines(Fragment& to, const T* from, std::size_t line_bytes) {
  if constexpr (kWatched) {
    constexpr bool kMatrices = Traits<Fragment>::kFactor && std::is_same_v<T, __half>;
    kMatrices&& __isShared(from) ? load_watched<kByRows, kMatrices>(to, from, line_bytes)
                                 : load_watched<kByRows, false>(to, from, line_bytes);
  } else {
    Place place{&to, reinterpret_cast<std::byte*>(const_cast<T*>(from)), line_bytes};
    simt::wmma::rendezvous(&Lines<Fragment, kByRows>::load_waiting, &place);
  }
}

template <class Fragment, class T>
[[gnu::always_inline]] inline void load(Fragment& to, const T* from, unsigned ldm, bool by_rows) {
  const std::size_t line_bytes = std::size_t{ldm} * sizeof(T);
  simt::wmma::require_aligned(from, line_bytes, kAddressMultiple, "wmma::load_matrix_sync");
  by_rows ? load_lines<true>(to, from, line_bytes) : load_lines<false>(to, from, line_bytes);
}

template <bool kByRows, class Fragment, class T>
[[gnu::always_inline]] inline void store_lines(T* to, const Fragment& from,
                                               std::size_t line_bytes) {
  if constexpr (kWatched) {
    store_watched<kByRows>(to, from, line_bytes);
  } else {
    Place place{const_cast<Fragment*>(&from), reinterpret_cast<std::byte*>(to), line_bytes};
    simt::wmma::rendezvous(&Lines<Fragment, kByRows>::store_waiting, &place);
  }
}

inline const std::uint16_t* bits(const void* values) {
  return static_cast<const std::uint16_t*>(values);
}

/// Elements as what the product is computed in.
template <class T, class Wide>
void widen(const T* from, Wide* to, int count) {
  if constexpr (std::is_same_v<T, __half>) {
    simt::wmma::widen_half(bits(from), to, count);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    simt::wmma::widen_bfloat16(bits(from), to, count);
  } else {
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
}

/// The type that products of a factor's type are summed in.
template <class T>
using SumOf = std::conditional_t<is_int8<T>, int,
                                 std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// A fragment's matrix, as what the product is computed in.
template <class Fragment, class Wide, class Part>
void gather_wide(Wide* matrix, Part part) {
  using Own = Traits<Fragment>;
  if constexpr (std::is_same_v<Wide, typename Own::Storage>) {
    gather<Fragment>(matrix, part);
    if constexpr (std::is_same_v<typename Own::Element, precision::tf32>) {
      simt::wmma::truncate_to_tf32(matrix, Own::kSize);
    }
  } else {
    alignas(64) typename Own::Storage stored[Own::kSize];
    gather<Fragment>(stored, part);
    widen(stored, matrix, Own::kSize);
  }
}

/// The other way round.
template <class Fragment, class Wide, class Part>
void scatter_wide(const Wide* matrix, Part part) {
  using Own = Traits<Fragment>;
  if constexpr (std::is_same_v<Wide, typename Own::Storage>) {
    scatter<Fragment>(matrix, part);
  } else {
    static_assert(std::is_same_v<typename Own::Storage, __half>);
    alignas(64) __half stored[Own::kSize];
    simt::wmma::narrow_to_half(matrix, reinterpret_cast<std::uint16_t*>(stored), Own::kSize);
    scatter<Fragment>(stored, part);
  }
}

/// The four fragments of one lane, in a product.
struct Operands {
  const void* a;
  const void* b;
  const void* c;
  void* d;
};

/// d = a * b + c; `PART(lane)` is a lane's fragment.
template <class D, class A, class B, class C, bool kSaturate, class PartD, class PartA, class PartB,
          class PartC>
void multiply_matrices(PartD d_part, PartA a_part, PartB b_part, PartC c_part) {
  using Sum = SumOf<typename Traits<A>::Element>;
  alignas(64) Sum a[Traits<A>::kSize];
  alignas(64) Sum b[Traits<B>::kSize];
  alignas(64) Sum c[Traits<C>::kSize];
  gather_wide<A>(a, a_part);
  gather_wide<B>(b, b_part);
  gather_wide<C>(c, c_part);
  constexpr simt::wmma::Shape shape{Traits<A>::kRows, Traits<B>::kColumns, Traits<A>::kColumns};
  if constexpr (std::is_same_v<Sum, int>) {
    simt::wmma::multiply_add(a, b, c, shape, kSaturate);
  } else {
    simt::wmma::multiply_add(a, b, c, shape);
  }
  scatter_wide<D>(c, d_part);
}

/// The same by whatever way is the shorter one.
template <class D, class A, class B, class C, bool kSaturate, class PartD, class PartA, class PartB,
          class PartC>
void multiply_parts(PartD d_part, PartA a_part, PartB b_part, PartC c_part) {
  if constexpr (std::is_same_v<typename Traits<A>::Element, double>) {
    InRow<A> a(a_part);
    InRow<B> b(b_part);
    InRow<C> c(c_part);
    simt::wmma::multiply_add(a.parts(), b.parts(), c.parts(), c.parts(), 1);
    c.give_back(d_part);
  } else {
    multiply_matrices<D, A, B, C, kSaturate>(d_part, a_part, b_part, c_part);
  }
}

/// The same for lanes that wait in a rendezvous.
template <class D, class A, class B, class C, bool kSaturate>
void multiply(void* const* slots, unsigned lanes) {
  simt::wmma::require_whole_warp(lanes, "wmma::mma_sync");
  const auto operands = [=](int lane) { return static_cast<const Operands*>(slots[lane]); };
  multiply_parts<D, A, B, C, kSaturate>(
      [=](int lane) { return operands(lane)->d; }, [=](int lane) { return operands(lane)->a; },
      [=](int lane) { return operands(lane)->b; }, [=](int lane) { return operands(lane)->c; });
}

template <class T, class Sum>
inline constexpr bool adds_up = std::is_same_v<SumOf<T>, Sum> ||
                                (std::is_same_v<T, __half> && std::is_same_v<Sum, __half>);

}  // namespace detail

/// Reads a factor; `ldm` elements lie between its rows, or its columns if it is col_major.
template <class Use, int m, int n, int k, class T, class Layout>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to,
                                                    const detail::Stored<T>* from, unsigned ldm) {
  detail::load(to, from, ldm, std::is_same_v<Layout, row_major>);
}

/// Reads an accumulator.
template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& to,
                                                    const T* from, unsigned ldm, layout_t layout) {
  detail::load(to, from, ldm, layout == mem_row_major);
}

template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void store_matrix_sync(T* to,
                                                     const fragment<accumulator, m, n, k, T>& from,
                                                     unsigned ldm, layout_t layout) {
  const std::size_t line_bytes = std::size_t{ldm} * sizeof(T);
  simt::wmma::require_aligned(to, line_bytes, detail::kAddressMultiple, "wmma::store_matrix_sync");
  layout == mem_row_major ? detail::store_lines<true>(to, from, line_bytes)
                          : detail::store_lines<false>(to, from, line_bytes);
}

template <class Use, int m, int n, int k, class T, class Layout>
void fill_fragment(fragment<Use, m, n, k, T, Layout>& fragment,
                   const std::type_identity_t<detail::Stored<T>>& value) {
  for (auto& element : fragment.x) element = value;
}

/// d = a * b + c, by all 32 lanes. Products are exact and summed in FP32 (half, bf16, tf32), double
/// or int; to half the sum is rounded once, at the end. `saturate` is for integers.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class SumC, class SumD>
void mma_sync(fragment<accumulator, m, n, k, SumD>& d,
              const fragment<matrix_a, m, n, k, T, LayoutA>& a,
              const fragment<matrix_b, m, n, k, T, LayoutB>& b,
              const fragment<accumulator, m, n, k, SumC>& c, bool saturate = false) {
  static_assert(detail::adds_up<T, SumC> && detail::adds_up<T, SumD>,
                "products of half add up in half or float, of bf16 and tf32 in float, of int8 in "
                "int, of double in double");
  using A = fragment<matrix_a, m, n, k, T, LayoutA>;
  using B = fragment<matrix_b, m, n, k, T, LayoutB>;
  using C = fragment<accumulator, m, n, k, SumC>;
  using D = fragment<accumulator, m, n, k, SumD>;
  detail::Operands operands{&a, &b, &c, &d};
  simt::wmma::rendezvous(
      saturate ? &detail::multiply<D, A, B, C, true> : &detail::multiply<D, A, B, C, false>,
      &operands);
}

/// The nearest TF32 number, ties away from zero: cvt.rna.tf32.f32.
inline float __float_to_tf32(float value) {
  const auto raw = std::bit_cast<std::uint32_t>(value);
  if ((raw & 0x7F800000u) == 0x7F800000u) return value;
  return std::bit_cast<float>((raw + 0x1000u) & 0xFFFFE000u);
}

}  // namespace nvcuda::wmma
