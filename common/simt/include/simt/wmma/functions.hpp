/// @file
/// Loading, storing, filling and multiplying fragments. All 32 lanes of a warp call them together.
/// Source: CUDA Programming Guide, "Warp Matrix Functions"; PTX ISA, "wmma.mma".
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simt/collective.hpp"
#include "simt/warp.hpp"
#include "simt/wmma/fragment.hpp"
#include "simt/wmma/runtime.hpp"

namespace nvcuda::wmma {

namespace detail {

template <class Fragment>
struct Traits;

template <class Use, int m, int n, int k, class T, class Order>
struct Traits<fragment<Use, m, n, k, T, Order>> {
  using Element = T;
  using Storage = Stored<T>;
  static constexpr int kRows = rows<Use>(m, k);
  static constexpr int kColumns = columns<Use>(n, k);
  static constexpr int kSize = kRows * kColumns;
  static constexpr int kCount = elements<Use, T>(m, n, k);

  static const simt::wmma::Layout& layout() {
    static const simt::wmma::Layout drawn =
        simt::wmma::draw_layout(kind<Use, T, Order>(m, n, k), kSize, kCount, simt::wmma::seed());
    return drawn;
  }
};

/// visit(x, first) for this lane's part: x[i ^ flip] is element first + i of the matrix.
template <class Fragment, class Visit>
void visit_own(Visit visit) {
  using Own = Traits<Fragment>;
  const simt::wmma::Layout& layout = Own::layout();
  const int first = layout.chunk[simt::lane_id()] * Own::kCount;
  for (int i = 0; i < Own::kCount; ++i) {
    const int element = first + i;
    visit(i ^ layout.flip, element / Own::kColumns, element % Own::kColumns);
  }
}

/// Where an element is, from the start of a matrix in memory.
inline std::size_t offset(int row, int column, unsigned ldm, bool by_rows) {
  return by_rows ? static_cast<std::size_t>(row) * ldm + static_cast<std::size_t>(column)
                 : static_cast<std::size_t>(column) * ldm + static_cast<std::size_t>(row);
}

template <class Fragment, class T>
void load(Fragment& to, const T* from, unsigned ldm, bool by_rows) {
  simt::wmma::require_aligned(from, std::uint64_t{ldm} * sizeof(T), "wmma::load_matrix_sync");
  __syncwarp();
  visit_own<Fragment>(
      [&](int i, int row, int column) { to.x[i] = from[offset(row, column, ldm, by_rows)]; });
}

/// The four fragments of one lane, in a product.
struct Operands {
  const void* a;
  const void* b;
  const void* c;
  void* d;
};

/// Puts together a matrix of what the lanes hold of it; `part(lane)` is a lane's fragment.
template <class Fragment, class Part>
void gather(typename Traits<Fragment>::Storage* matrix, Part part) {
  using Own = Traits<Fragment>;
  const simt::wmma::Layout& layout = Own::layout();
  for (int lane = 0; lane < 32; ++lane) {
    const auto* x = static_cast<const Fragment*>(part(lane))->x;
    auto* chunk = matrix + layout.chunk[lane] * Own::kCount;
    for (int i = 0; i < Own::kCount; ++i) chunk[i] = x[i ^ layout.flip];
  }
}

template <class Fragment, class Part>
void scatter(const typename Traits<Fragment>::Storage* matrix, Part part) {
  using Own = Traits<Fragment>;
  const simt::wmma::Layout& layout = Own::layout();
  for (int lane = 0; lane < 32; ++lane) {
    auto* x = static_cast<Fragment*>(part(lane))->x;
    const auto* chunk = matrix + layout.chunk[lane] * Own::kCount;
    for (int i = 0; i < Own::kCount; ++i) x[i ^ layout.flip] = chunk[i];
  }
}

inline const std::uint16_t* bits(const void* values) {
  return static_cast<const std::uint16_t*>(values);
}

/// A factor as what the product is computed in.
template <class T, class Wide>
void widen(const Stored<T>* from, Wide* to, int count) {
  if constexpr (std::is_same_v<T, __half>) {
    simt::wmma::widen_half(bits(from), to, count);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    simt::wmma::widen_bfloat16(bits(from), to, count);
  } else {
    for (int i = 0; i < count; ++i) to[i] = from[i];
    if constexpr (std::is_same_v<T, precision::tf32>) simt::wmma::truncate_to_tf32(to, count);
  }
}

template <class T, class Wide>
void narrow(const Wide* from, T* to, int count) {
  if constexpr (std::is_same_v<T, __half>) {
    simt::wmma::narrow_to_half(from, reinterpret_cast<std::uint16_t*>(to), count);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
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
  alignas(64) typename Own::Storage stored[Own::kSize];
  gather<Fragment>(stored, part);
  widen<typename Own::Element>(stored, matrix, Own::kSize);
}

template <class D, class A, class B, class C, bool kSaturate>
void multiply(void* const* slots, unsigned lanes) {
  using Sum = SumOf<typename Traits<A>::Element>;
  simt::wmma::require_whole_warp(lanes, "wmma::mma_sync");
  const auto operands = [=](int lane) { return static_cast<const Operands*>(slots[lane]); };
  alignas(64) Sum a[Traits<A>::kSize];
  alignas(64) Sum b[Traits<B>::kSize];
  alignas(64) Sum c[Traits<C>::kSize];
  gather_wide<A>(a, [=](int lane) { return operands(lane)->a; });
  gather_wide<B>(b, [=](int lane) { return operands(lane)->b; });
  gather_wide<C>(c, [=](int lane) { return operands(lane)->c; });
  constexpr simt::wmma::Shape shape{Traits<A>::kRows, Traits<B>::kColumns, Traits<A>::kColumns};
  if constexpr (std::is_same_v<Sum, int>) {
    simt::wmma::multiply_add(a, b, c, shape, kSaturate);
  } else {
    simt::wmma::multiply_add(a, b, c, shape);
  }
  alignas(64) typename Traits<D>::Storage d[Traits<D>::kSize];
  narrow(c, d, Traits<D>::kSize);
  scatter<D>(d, [=](int lane) { return operands(lane)->d; });
}

template <class T, class Sum>
inline constexpr bool adds_up = std::is_same_v<SumOf<T>, Sum> ||
                                (std::is_same_v<T, __half> && std::is_same_v<Sum, __half>);

}  // namespace detail

/// Reads a factor; `ldm` elements lie between its rows, or its columns if it is col_major.
template <class Use, int m, int n, int k, class T, class Layout>
void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to, const detail::Stored<T>* from,
                      unsigned ldm) {
  detail::load(to, from, ldm, std::is_same_v<Layout, row_major>);
}

/// Reads an accumulator.
template <int m, int n, int k, class T>
void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const T* from, unsigned ldm,
                      layout_t layout) {
  detail::load(to, from, ldm, layout == mem_row_major);
}

template <int m, int n, int k, class T>
void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& from, unsigned ldm,
                       layout_t layout) {
  simt::wmma::require_aligned(to, std::uint64_t{ldm} * sizeof(T), "wmma::store_matrix_sync");
  __syncwarp();
  detail::visit_own<fragment<accumulator, m, n, k, T>>([&](int i, int row, int column) {
    to[detail::offset(row, column, ldm, layout == mem_row_major)] = from.x[i];
  });
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
  simt::warp_rendezvous(
      0xFFFFFFFFu,
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
