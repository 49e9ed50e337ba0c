// What half and bfloat16 must both pass, as templates over the type.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "small_float_reference.hpp"

namespace float16_suite {

/// Bits of a 16-bit float, and back.
template <class H>
unsigned bits(H h) {
  return std::bit_cast<std::uint16_t>(h);
}
template <class H>
H make(unsigned b) {
  return std::bit_cast<H>(static_cast<std::uint16_t>(b));
}

template <class H>
struct Format {
  int mantissa_bits;
  int bias;
  unsigned infinity;
  std::vector<double> values;

  Format(int mantissa, int bias_, unsigned inf)
      : mantissa_bits(mantissa),
        bias(bias_),
        infinity(inf),
        values(reference::magnitudes(inf + 1, mantissa, bias_)) {}

  unsigned round(double x, reference::Mode mode = reference::Mode::kNearest) const {
    if (std::isnan(x)) return 0x7FFF;
    if (std::isinf(x)) return infinity | (x < 0 ? 0x8000u : 0u);
    return reference::round(values, x, mode, 0x8000u);
  }
  bool is_nan(unsigned b) const { return (b & 0x7FFF) > infinity; }
  /// Value of any non-NaN encoding.
  double value(unsigned b) const {
    const unsigned magnitude = b & 0x7FFF;
    const double v = magnitude == infinity ? INFINITY : values[magnitude];
    return b & 0x8000 ? -v : v;
  }
};

/// Calls visit(float) with floats at a stride over all 2^32 encodings, and with every tie between
/// neighbours of the format and the floats next to it.
template <class H, class Visit>
void visit_floats(const Format<H>& format, Visit visit) {
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32); i += 4099) {
    visit(std::bit_cast<float>(static_cast<std::uint32_t>(i)));
  }
  for (unsigned i = 0; i < format.infinity; ++i) {
    const auto tie = static_cast<float>((format.values[i] + format.values[i + 1]) / 2);
    for (const float x : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY)}) {
      visit(x);
      visit(-x);
    }
  }
}

/// Arithmetic against the exact result, rounded by search.
template <class H>
int wrong_arithmetic(const Format<H>& format, int n) {
  std::mt19937 engine(1);
  int wrong = 0;
  const auto next = [&] {
    // Half of the numbers near each other: cancellation and ties.
    const unsigned b = engine();
    return (b & 0x80000000u) != 0 ? b & 0xFFFFu : ((format.infinity / 2) & ~0x1FFu) + (b & 0x83FFu);
  };
  for (int i = 0; i < n; ++i) {
    const unsigned a = next(), b = next(), c = next();
    if (format.is_nan(a) || format.is_nan(b) || format.is_nan(c)) continue;
    const H x = make<H>(a), y = make<H>(b), z = make<H>(c);
    const double p = format.value(a), q = format.value(b), r = format.value(c);
    // Doubles hold sums and products of two exactly, or so nearly that no tie is touched.
    wrong += bits(x + y) != format.round(p + q) && !(p + q == 0);
    wrong += bits(x - y) != format.round(p - q) && !(p - q == 0);
    wrong += bits(x * y) != format.round(p * q);
    if (q != 0) wrong += bits(x / y) != format.round(p / q);
    if (!std::isfinite(p * q) || !std::isfinite(r)) continue;
    // Fused: the exact value is sum + error. Only where the double next to it has so few bits that
    // it may be a tie does the difference count: step off it then.
    const __float128 product = static_cast<__float128>(p) * q;
    const __float128 sum = product + r;
    const __float128 part = sum - product;
    const __float128 error = (product - (sum - part)) + (r - part);
    double near = static_cast<double>(sum);
    const __float128 off = sum != near ? sum - near : error;
    const bool few_bits = std::bit_cast<std::uint64_t>(near) << 24 == 0;
    if (few_bits && near != 0 && off != 0)
      near = std::nextafter(near, off > 0 ? INFINITY : -INFINITY);
    wrong += bits(__hfma(x, y, z)) != format.round(near) && near != 0;
  }
  return wrong;
}

/// Comparisons of all pairs from a list of telling values, against those of double.
template <class H>
int wrong_comparisons(const Format<H>& format) {
  std::vector<unsigned> telling = {
      0,      0x8000, 1,      0x8001, format.infinity, format.infinity | 0x8000,
      0x7FFF, 0x3C00, 0xBC00, 0x3C01};
  int wrong = 0;
  for (const unsigned a : telling) {
    for (const unsigned b : telling) {
      const H x = make<H>(a), y = make<H>(b);
      const bool nan = format.is_nan(a) || format.is_nan(b);
      const double p = format.is_nan(a) ? NAN : format.value(a);
      const double q = format.is_nan(b) ? NAN : format.value(b);
      wrong += __heq(x, y) != (p == q);
      wrong += __hne(x, y) != (!nan && p != q);
      wrong += __hlt(x, y) != (p < q);
      wrong += __hle(x, y) != (p <= q);
      wrong += __hgt(x, y) != (p > q);
      wrong += __hge(x, y) != (p >= q);
      wrong += __hequ(x, y) != (nan || p == q);
      wrong += __hneu(x, y) != (p != q);
      wrong += __hltu(x, y) != (nan || p < q);
      wrong += __hgeu(x, y) != (nan || p >= q);
      wrong += (x == y) != (p == q);
      wrong += (x != y) != (p != q);
      wrong += (x < y) != (p < q);
      if (nan) {
        wrong += bits(__hmax_nan(x, y)) != 0x7FFF;
        wrong += bits(__hmin_nan(x, y)) != 0x7FFF;
        const unsigned other = format.is_nan(a) ? (format.is_nan(b) ? 0x7FFFu : b) : a;
        wrong += bits(__hmax(x, y)) != other;
        wrong += bits(__hmin(x, y)) != other;
      } else if (p != q) {
        wrong += bits(__hmax(x, y)) != (p > q ? a : b);
        wrong += bits(__hmin(x, y)) != (p < q ? a : b);
      }
    }
  }
  wrong += bits(__hmax(make<H>(0x8000), make<H>(0))) != 0;
  wrong += bits(__hmax(make<H>(0), make<H>(0x8000))) != 0;
  wrong += bits(__hmin(make<H>(0x8000), make<H>(0))) != 0x8000;
  wrong += bits(__hmin(make<H>(0), make<H>(0x8000))) != 0x8000;
  return wrong;
}

}  // namespace float16_suite
