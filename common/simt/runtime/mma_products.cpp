// The arithmetic of mma.sync, compiled for this very processor: fragments to matrices, the product,
// and back. Only plain loops, as in wmma_products.cpp.
// Source of the layouts: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type" and
// its neighbours. They are one: lane 4 * g + t holds in each register neighbours along k, from
// t times as many on, of row g of A (column g of B). Registers follow each other in steps of 8
// rows, if A has 16, and then of four registers' elements along k. Of a sum it holds two neighbours
// in row g, from column 2 * t on, and those 8 rows below.
#include <type_traits>

#include "matrix_rows.hpp"
#include "mma_elements.hpp"
#include "simt/ptx/mma.hpp"

namespace simt::ptx {

namespace {

constexpr int kN = 8;  // columns of B, C and D

const MmaLane& lane_at(void* const* slots, int lane) {
  return *static_cast<const MmaLane*>(slots[lane]);
}
template <int kBytes>
void copy_register(void* to, const void* from) {
  __builtin_memcpy(to, from, kBytes);
}

// A factor of kLines rows of A or columns of B, kK elements each, one line after the other.
template <class Factor, int kLines, int kK, class Registers>
void gather_factor(void* const* slots, Registers registers, typename Factor::Wide* wide) {
  using Stored = typename Factor::Stored;
  constexpr int kStored = kLines * kK / Factor::kPerStored;
  constexpr int kBytes = sizeof(Stored) < 4 ? 4 : sizeof(Stored);  // of a register
  constexpr int kLineBytes = kStored / kLines * static_cast<int>(sizeof(Stored));
  constexpr int kDown = kLines / 8;
  alignas(64) Stored stored[kStored];
  auto* const bytes = reinterpret_cast<unsigned char*>(stored);
  for (int lane = 0; lane < 32; ++lane) {
    const auto* own = static_cast<const unsigned char*>(registers(lane_at(slots, lane)));
    for (int i = 0; i < kLineBytes / kBytes / 4 * kDown; ++i) {
      const int line = lane / 4 + 8 * (i % kDown);
      const int place = 4 * (i / kDown) + lane % 4;
      copy_register<kBytes>(bytes + line * kLineBytes + place * kBytes, own + i * kBytes);
    }
  }
  Factor::widen(stored, wide, kLines * kK);
}

// Sums of kM rows, of T, one row after the other: visit(register of a lane, place in the matrix).
template <class T, int kM, class Visit>
void visit_sums(Visit visit) {
  constexpr int kBytes = 2 * static_cast<int>(sizeof(T));  // of two neighbours
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < kM / 8; ++i) {
      visit(lane, i * kBytes, (lane / 4 + 8 * i) * kN + 2 * (lane % 4));
    }
  }
}
template <class T, int kM>
void gather_sums(void* const* slots, T* sums) {
  visit_sums<T, kM>([=](int lane, int at, int place) {
    copy_register<2 * sizeof(T)>(sums + place,
                                 static_cast<const char*>(lane_at(slots, lane).c) + at);
  });
}
template <class T, int kM>
void scatter_sums(const T* sums, void* const* slots) {
  visit_sums<T, kM>([=](int lane, int at, int place) {
    copy_register<2 * sizeof(T)>(static_cast<char*>(lane_at(slots, lane).d) + at, sums + place);
  });
}

// C as what sums are computed in, and D from it.
template <class Sum, int kM>
void gather_c(void* const* slots, [[maybe_unused]] Element element, Sum* sums) {
  if constexpr (sizeof(Sum) == 4) {
    if (element == Element::f16) {
      alignas(64) std::uint16_t halves[kM * kN];
      gather_sums<std::uint16_t, kM>(slots, halves);
      return wmma::widen_half(halves, reinterpret_cast<float*>(sums), kM * kN);
    }
  }
  gather_sums<Sum, kM>(slots, sums);
}
template <class Sum, int kM>
void scatter_d(const Sum* sums, [[maybe_unused]] Element element, void* const* slots) {
  if constexpr (sizeof(Sum) == 4) {
    if (element == Element::f16) {
      alignas(64) std::uint16_t halves[kM * kN];
      wmma::narrow_to_half(reinterpret_cast<const float*>(sums), halves, kM * kN);
      return scatter_sums<std::uint16_t, kM>(halves, slots);
    }
  }
  scatter_sums<Sum, kM>(sums, slots);
}

template <class A, class B, int kM, int kK>
void multiply_form(const Mma& form, void* const* slots) {
  using Sum = typename A::Wide;
  alignas(64) Sum a[kM * kK];
  alignas(64) Sum columns[kN * kK];
  alignas(64) Sum b[kK * kN];
  alignas(64) Sum c[kM * kN];
  gather_factor<A, kM, kK>(
      slots, [](const MmaLane& lane) { return lane.a; }, a);
  gather_factor<B, kN, kK>(
      slots, [](const MmaLane& lane) { return lane.b; }, columns);
  for (int k = 0; k < kK; ++k) {
    for (int n = 0; n < kN; ++n) b[k * kN + n] = columns[n * kK + k];
  }
  gather_c<Sum, kM>(slots, form.c, c);
  if constexpr (std::is_same_v<Sum, int>) {
    alignas(64) int products[kM * kN] = {};  // 64 products of bytes at most: no overflow
    multiply_rows<int, kM, kN, kK>(a, b, products);
    for (int i = 0; i < kM * kN; ++i) {
      const long long exact = static_cast<long long>(c[i]) + products[i];
      c[i] = form.saturate ? saturated(exact) : static_cast<int>(exact);
    }
  } else {
    multiply_rows<Sum, kM, kN, kK>(a, b, c);
  }
  scatter_d<Sum, kM>(c, form.d, slots);
}

// The shapes of each kind of factor; cucc lets no others through.

template <class A>
void multiply_16_bits(const Mma& form, void* const* slots) {
  form.k == 8 ? multiply_form<A, A, 16, 8>(form, slots) : multiply_form<A, A, 16, 16>(form, slots);
}
template <class A, class B>
void multiply_floating_bytes(const Mma& form, void* const* slots) {
  form.k == 16 ? multiply_form<A, B, 16, 16>(form, slots)
               : multiply_form<A, B, 16, 32>(form, slots);
}
template <class A, class B>
void multiply_bytes(const Mma& form, void* const* slots) {
  if (form.m == 8) return multiply_form<A, B, 8, 16>(form, slots);
  multiply_floating_bytes<A, B>(form, slots);
}
template <class A, class B>
void multiply_nibbles(const Mma& form, void* const* slots) {
  if (form.m == 8) return multiply_form<A, B, 8, 32>(form, slots);
  form.k == 32 ? multiply_form<A, B, 16, 32>(form, slots)
               : multiply_form<A, B, 16, 64>(form, slots);
}
void multiply_doubles(const Mma& form, void* const* slots) {
  if (form.m == 8) return multiply_form<Double, Double, 8, 4>(form, slots);
  if (form.k == 4) return multiply_form<Double, Double, 16, 4>(form, slots);
  form.k == 8 ? multiply_form<Double, Double, 16, 8>(form, slots)
              : multiply_form<Double, Double, 16, 16>(form, slots);
}

}  // namespace

void multiply_whole_warp(const Mma& form, void* const* slots) {
  wmma::tell_product();
  const bool b_signed = form.b == Element::s8 || form.b == Element::s4;
  const bool b_e4m3 = form.b == Element::e4m3;
  switch (form.a) {
    case Element::f16:
      return multiply_16_bits<Half>(form, slots);
    case Element::bf16:
      return multiply_16_bits<Bfloat16>(form, slots);
    case Element::tf32:
      return form.k == 4 ? multiply_form<Tf32, Tf32, 16, 4>(form, slots)
                         : multiply_form<Tf32, Tf32, 16, 8>(form, slots);
    case Element::f64:
      return multiply_doubles(form, slots);
    case Element::e4m3:
      return b_e4m3 ? multiply_floating_bytes<E4m3, E4m3>(form, slots)
                    : multiply_floating_bytes<E4m3, E5m2>(form, slots);
    case Element::e5m2:
      return b_e4m3 ? multiply_floating_bytes<E5m2, E4m3>(form, slots)
                    : multiply_floating_bytes<E5m2, E5m2>(form, slots);
    case Element::s8:
      return b_signed ? multiply_bytes<Byte<std::int8_t>, Byte<std::int8_t>>(form, slots)
                      : multiply_bytes<Byte<std::int8_t>, Byte<std::uint8_t>>(form, slots);
    case Element::u8:
      return b_signed ? multiply_bytes<Byte<std::uint8_t>, Byte<std::int8_t>>(form, slots)
                      : multiply_bytes<Byte<std::uint8_t>, Byte<std::uint8_t>>(form, slots);
    case Element::s4:
      return b_signed ? multiply_nibbles<Nibble<true>, Nibble<true>>(form, slots)
                      : multiply_nibbles<Nibble<true>, Nibble<false>>(form, slots);
    default:
      return b_signed ? multiply_nibbles<Nibble<false>, Nibble<true>>(form, slots)
                      : multiply_nibbles<Nibble<false>, Nibble<false>>(form, slots);
  }
}

}  // namespace simt::ptx
