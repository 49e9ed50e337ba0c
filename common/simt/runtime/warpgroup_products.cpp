// The arithmetic of wgmma, compiled for this very processor: a warp's 16 rows of A from shared
// memory or registers, then 8 columns of B and D at a time. Only plain loops, as in
// mma_products.cpp.
// Source of the layout of D: PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16". Lane
// 4 * g + t holds of each 8 columns the two from 2 * t on, in rows g and g + 8.
#include "warpgroup_products.hpp"

#include <type_traits>

#include "matrix_rows.hpp"
#include "mma_elements.hpp"

namespace simt::ptx {

namespace {

constexpr int kRows = 16, kColumns = 8;

const WgmmaLane& lane_of(void* const* slots, int lane) {
  return *static_cast<const WgmmaLane*>(slots[lane]);
}

/// Reads lines [first, first + kLines) of a matrix, kK elements each, one line after the other.
template <class Factor, int kLines, int kK>
void read_lines(const SharedMatrix& matrix, std::uint32_t first, typename Factor::Wide* wide) {
  using Stored = typename Factor::Stored;
  constexpr std::uint32_t kBytes = sizeof(Stored), kInPiece = 16 / kBytes;
  alignas(64) Stored stored[kLines * kK];
  for (std::uint32_t line = 0; line < kLines; ++line) {
    if (!matrix.transposed) {
      for (std::uint32_t k = 0; k < kK; k += kInPiece) {
        __builtin_memcpy(stored + line * kK + k, matrix.piece(first + line, k, kBytes), 16);
      }
    } else {
      for (std::uint32_t k = 0; k < kK; ++k) {
        __builtin_memcpy(stored + line * kK + k,
                         matrix.piece(first + line, k, kBytes) + (first + line) % kInPiece * kBytes,
                         kBytes);
      }
    }
  }
  Factor::widen(stored, wide, kLines * kK);
}

/// The warp's rows of A from registers, as mma.sync has them.
template <class Factor, int kK>
void read_registers(void* const* slots, typename Factor::Wide* wide) {
  using Stored = typename Factor::Stored;
  constexpr int kLineBytes = kK * static_cast<int>(sizeof(Stored));
  alignas(64) Stored stored[kRows * kK];
  auto* const bytes = reinterpret_cast<unsigned char*>(stored);
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint32_t* const own = lane_of(slots, lane).a;
    for (int i = 0; i < 4; ++i) {
      const int line = lane / 4 + 8 * (i % 2), place = 4 * (i / 2) + lane % 4;
      __builtin_memcpy(bytes + line * kLineBytes + place * 4, own + i, 4);
    }
  }
  Factor::widen(stored, wide, kRows * kK);
}

template <class T>
void negate(T* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = -values[i];
}

/// visit(lane's pair of elements of type T, place in the 16 x 8 panel) for panel `j` of D.
template <class T, class Visit>
void visit_panel(void* const* slots, int j, Visit visit) {
  for (int lane = 0; lane < 32; ++lane) {
    T* const own = static_cast<T*>(lane_of(slots, lane).d) + 4 * j;
    const int place = lane / 4 * kColumns + 2 * (lane % 4);
    visit(own, place);
    visit(own + 2, place + 8 * kColumns);
  }
}

template <class Stored>
void gather_panel(void* const* slots, int j, Stored* panel) {
  visit_panel<Stored>(slots, j, [=](const Stored* own, int place) {
    __builtin_memcpy(panel + place, own, 2 * sizeof(Stored));
  });
}
template <class Stored>
void scatter_panel(const Stored* panel, int j, void* const* slots) {
  visit_panel<Stored>(slots, j, [=](Stored* own, int place) {
    __builtin_memcpy(own, panel + place, 2 * sizeof(Stored));
  });
}

template <class Sum>
void load_panel(void* const* slots, int j, [[maybe_unused]] Element element, Sum* sums) {
  if constexpr (std::is_same_v<Sum, float>) {
    if (element == Element::f16) {
      alignas(64) std::uint16_t halves[kRows * kColumns];
      gather_panel(slots, j, halves);
      return wmma::widen_half(halves, sums, kRows * kColumns);
    }
  }
  gather_panel(slots, j, sums);
}
template <class Sum>
void store_panel(const Sum* sums, int j, [[maybe_unused]] Element element, void* const* slots) {
  if constexpr (std::is_same_v<Sum, float>) {
    if (element == Element::f16) {
      alignas(64) std::uint16_t halves[kRows * kColumns];
      wmma::narrow_to_half(sums, halves, kRows * kColumns);
      return scatter_panel(halves, j, slots);
    }
  }
  scatter_panel(sums, j, slots);
}

/// sums += a * columns.
template <int kK>
void add_products(const float* a, const float* b, float* sums, bool /*saturate*/) {
  multiply_rows<float, kRows, kColumns, kK>(a, b, sums);
}
template <int kK>
void add_products(const int* a, const int* b, int* sums, bool saturate) {
  alignas(64) int products[kRows * kColumns] = {};
  multiply_rows<int, kRows, kColumns, kK>(a, b, products);
  for (int i = 0; i < kRows * kColumns; ++i) {
    const long long exact = static_cast<long long>(sums[i]) + products[i];
    sums[i] = saturate ? saturated(exact) : static_cast<int>(exact);
  }
}

template <class A, class B, int kK>
void multiply_rows_of_warp(const Wgmma& form, void* const* slots, const WarpgroupFactors& factors) {
  using Sum = typename A::Wide;
  alignas(64) Sum a[kRows * kK];
  alignas(64) Sum columns[kColumns * kK];
  alignas(64) Sum b[kK * kColumns];
  alignas(64) Sum sums[kRows * kColumns];
  const WgmmaFlags flags = lane_of(slots, 0).flags;
  if (lane_of(slots, 0).a != nullptr) {
    read_registers<A, kK>(slots, a);
  } else {
    read_lines<A, kRows, kK>(factors.a, factors.first_row, a);
  }
  if (flags.negate_a != flags.negate_b) negate(a, kRows * kK);
  for (int j = 0; j < form.n / kColumns; ++j) {
    read_lines<B, kColumns, kK>(factors.b, static_cast<std::uint32_t>(j * kColumns), columns);
    for (int k = 0; k < kK; ++k) {
      for (int n = 0; n < kColumns; ++n) b[k * kColumns + n] = columns[n * kK + k];
    }
    if (flags.add) {
      load_panel(slots, j, form.d, sums);
    } else {
      for (Sum& sum : sums) sum = 0;
    }
    add_products<kK>(a, b, sums, form.saturate);
    store_panel(sums, j, form.d, slots);
  }
}

template <class A, class B, class OtherB>
void multiply_bytes_by(bool other, const Wgmma& form, void* const* slots,
                       const WarpgroupFactors& factors) {
  other ? multiply_rows_of_warp<A, OtherB, 32>(form, slots, factors)
        : multiply_rows_of_warp<A, B, 32>(form, slots, factors);
}

}  // namespace

void multiply_warpgroup_rows(const Wgmma& form, void* const* slots,
                             const WarpgroupFactors& factors) {
  if (factors.first_row == 0) wmma::tell_product();
  using Signed = Byte<std::int8_t>;
  using Unsigned = Byte<std::uint8_t>;
  switch (form.a) {
    case Element::f16:
      return multiply_rows_of_warp<Half, Half, 16>(form, slots, factors);
    case Element::bf16:
      return multiply_rows_of_warp<Bfloat16, Bfloat16, 16>(form, slots, factors);
    case Element::tf32:
      return multiply_rows_of_warp<Tf32, Tf32, 8>(form, slots, factors);
    case Element::e4m3:
      return multiply_bytes_by<E4m3, E4m3, E5m2>(form.b == Element::e5m2, form, slots, factors);
    case Element::e5m2:
      return multiply_bytes_by<E5m2, E4m3, E5m2>(form.b == Element::e5m2, form, slots, factors);
    case Element::s8:
      return multiply_bytes_by<Signed, Signed, Unsigned>(form.b == Element::u8, form, slots,
                                                         factors);
    default:
      return multiply_bytes_by<Unsigned, Signed, Unsigned>(form.b == Element::u8, form, slots,
                                                           factors);
  }
}

}  // namespace simt::ptx
