/// @file
/// The functions of half and bfloat16 as names at global scope, as CUDA has them: `::hexp(x)` finds
/// them, and `hexp(1.0f)` converts its argument. As friends of the types alone they would be found
/// by the type of an argument only.
#pragma once

#include "simt/float16/pair.hpp"
#include "simt/float16/scalar.hpp"

/// X(RESULT, NAME, PARAMETERS...) for each function of a type H and of the pair P of two.
// clang-format off
#define SIMT_FLOAT16_FUNCTIONS(X, H, P) \
  X(H, __hadd, H, H) X(H, __hsub, H, H) X(H, __hmul, H, H) X(H, __hadd_rn, H, H) \
  X(H, __hsub_rn, H, H) X(H, __hmul_rn, H, H) X(H, __hdiv, H, H) X(H, __hadd_sat, H, H) \
  X(H, __hsub_sat, H, H) X(H, __hmul_sat, H, H) X(H, __hmax, H, H) X(H, __hmin, H, H) \
  X(H, __hmax_nan, H, H) X(H, __hmin_nan, H, H) X(H, __hfma, H, H, H) \
  X(H, __hfma_sat, H, H, H) X(H, __hfma_relu, H, H, H) \
  X(bool, __heq, H, H) X(bool, __hequ, H, H) X(bool, __hne, H, H) X(bool, __hneu, H, H) \
  X(bool, __hlt, H, H) X(bool, __hltu, H, H) X(bool, __hle, H, H) X(bool, __hleu, H, H) \
  X(bool, __hgt, H, H) X(bool, __hgtu, H, H) X(bool, __hge, H, H) X(bool, __hgeu, H, H) \
  X(bool, __hisnan, H) \
  X(int, __hisinf, H) \
  X(H, __hneg, H) X(H, __habs, H) X(H, hsqrt, H) X(H, hrsqrt, H) X(H, hrcp, H) X(H, hexp, H) \
  X(H, hexp2, H) X(H, hexp10, H) X(H, hlog, H) X(H, hlog2, H) X(H, hlog10, H) X(H, hsin, H) \
  X(H, hcos, H) X(H, htanh, H) X(H, htanh_approx, H) X(H, hceil, H) X(H, hfloor, H) \
  X(H, htrunc, H) X(H, hrint, H) X(H, atomicAdd, H*, H) \
  X(P, __hadd2, P, P) X(P, __hsub2, P, P) X(P, __hmul2, P, P) X(P, __hadd2_rn, P, P) \
  X(P, __hsub2_rn, P, P) X(P, __hmul2_rn, P, P) X(P, __h2div, P, P) X(P, __hadd2_sat, P, P) \
  X(P, __hsub2_sat, P, P) X(P, __hmul2_sat, P, P) X(P, __hmax2, P, P) X(P, __hmin2, P, P) \
  X(P, __hmax2_nan, P, P) X(P, __hmin2_nan, P, P) X(P, __heq2, P, P) X(P, __hequ2, P, P) \
  X(P, __hne2, P, P) X(P, __hneu2, P, P) X(P, __hlt2, P, P) X(P, __hltu2, P, P) \
  X(P, __hle2, P, P) X(P, __hleu2, P, P) X(P, __hgt2, P, P) X(P, __hgtu2, P, P) \
  X(P, __hge2, P, P) X(P, __hgeu2, P, P) \
  X(bool, __hbeq2, P, P) X(bool, __hbequ2, P, P) X(bool, __hbne2, P, P) \
  X(bool, __hbneu2, P, P) X(bool, __hblt2, P, P) X(bool, __hbltu2, P, P) \
  X(bool, __hble2, P, P) X(bool, __hbleu2, P, P) X(bool, __hbgt2, P, P) \
  X(bool, __hbgtu2, P, P) X(bool, __hbge2, P, P) X(bool, __hbgeu2, P, P) \
  X(unsigned, __heq2_mask, P, P) X(unsigned, __hequ2_mask, P, P) \
  X(unsigned, __hne2_mask, P, P) X(unsigned, __hneu2_mask, P, P) \
  X(unsigned, __hlt2_mask, P, P) X(unsigned, __hltu2_mask, P, P) \
  X(unsigned, __hle2_mask, P, P) X(unsigned, __hleu2_mask, P, P) \
  X(unsigned, __hgt2_mask, P, P) X(unsigned, __hgtu2_mask, P, P) \
  X(unsigned, __hge2_mask, P, P) X(unsigned, __hgeu2_mask, P, P) \
  X(P, __hfma2, P, P, P) X(P, __hfma2_sat, P, P, P) X(P, __hfma2_relu, P, P, P) \
  X(P, __hcmadd, P, P, P) X(P, __hneg2, P) X(P, __habs2, P) X(P, __hisnan2, P) \
  X(P, h2sqrt, P) X(P, h2rsqrt, P) X(P, h2rcp, P) X(P, h2exp, P) X(P, h2exp2, P) \
  X(P, h2exp10, P) X(P, h2log, P) X(P, h2log2, P) X(P, h2log10, P) X(P, h2sin, P) \
  X(P, h2cos, P) X(P, h2tanh, P) X(P, h2tanh_approx, P) X(P, h2ceil, P) X(P, h2floor, P) \
  X(P, h2trunc, P) X(P, h2rint, P) X(P, atomicAdd, P*, P)
// clang-format on

/// The friend's declaration, which a name at global scope can then stand for.
#define SIMT_DECLARE_FLOAT16_FUNCTION(result, name, ...) \
  namespace simt::detail {                               \
  result name(__VA_ARGS__);                              \
  }                                                      \
  using simt::detail::name;
