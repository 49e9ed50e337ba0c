/// @file
/// Products of matrices by a warp: mma.sync. Each lane holds fragments of A, B, C and D in
/// registers, laid out as the manual says.
/// Source: PTX ISA, "Warp-level Matrix Instructions", "Matrix multiply-accumulate operation using
/// mma instruction".
#ifndef SIMT_PTX_MMA_HPP
#define SIMT_PTX_MMA_HPP

#include <cstdint>

#include "simt/wmma/runtime.hpp"

namespace simt::ptx {

/// What the elements of a matrix are.
enum class Element : std::uint8_t { f16, bf16, tf32, f32, f64, s8, u8, s4, u4, s32, e4m3, e5m2 };

/// One form of the instruction: D = A * B + C, where A has m rows, B 8 columns, and k is what they
/// have in common.
struct Mma {
  int m, k;
  Element d, a, b, c;
  bool saturate;  ///< sums in s32 stop at the ends of their range
};

/// The registers of one lane.
struct MmaLane {
  void* d;
  const void* a;
  const void* b;
  const void* c;
};

/// Computes D for a warp. `slots[lane]` is a lane's MmaLane; `lanes` are those that came, and have
/// to be all 32.
void multiply(const Mma& form, void* const* slots, unsigned lanes);
/// The same of lanes that are known to have come.
void multiply_whole_warp(const Mma& form, void* const* slots);

template <Mma kForm>
void multiply_waiting(void* const* slots, unsigned lanes) {
  multiply(kForm, slots, lanes);
}

/// All lanes of the warp come here together.
template <Mma kForm, class D, class A, class B, class C>
[[gnu::always_inline]] inline void mma(D& d, const A& a, const B& b, const C& c) {
  MmaLane own{&d, &a, &b, &c};
  wmma::rendezvous(&multiply_waiting<kForm>, &own);
}

}  // namespace simt::ptx

#endif
