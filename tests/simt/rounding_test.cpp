// Arithmetic with a rounding mode in its name, against __float128, where every result below is
// exact: the named rounding is the one neighbour of the exact value on the named side.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "simt/device_functions.hpp"

namespace {

using Exact = __float128;

enum class Mode { kNearest, kZero, kUp, kDown };

/// Whether r is x rounded to T in the mode, by definition: no other T lies between.
template <class T>
bool is_rounding_of(T r, Exact x, Mode mode) {
  const T infinity = std::numeric_limits<T>::infinity();
  const Exact below = std::nextafter(r, -infinity);
  const Exact above = std::nextafter(r, infinity);
  const Exact value = r;
  switch (mode) {
    case Mode::kUp:
      return value >= x && below < x;
    case Mode::kDown:
      return value <= x && above > x;
    case Mode::kZero:
      return x >= 0 ? value <= x && above > x : value >= x && below < x;
    case Mode::kNearest:
      break;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, &r, sizeof(T));
  const Exact distance = value > x ? value - x : x - value;
  const Exact other = value > x ? x - below : above - x;
  return distance < other || (distance == other && bits % 2 == 0) || distance == 0;
}

/// Random T with so few bits and so near an exponent that sums of products stay exact.
template <class T>
struct Operands {
  std::mt19937_64 engine{42};
  int bits;
  T operator()() {
    const auto limit = std::int64_t{1} << bits;
    const auto mantissa = std::uniform_int_distribution<std::int64_t>(-limit, limit)(engine);
    const int exponent = std::uniform_int_distribution<int>(-12, 12)(engine);
    return std::ldexp(static_cast<T>(mantissa == 0 ? 1 : mantissa), exponent - bits);
  }
};

/// x / y as exact as it takes: rounded to 113 bits, whose halfway cases a quotient cannot hit.
template <class T>
int wrong_count(int n) {
  Operands<T> next{.bits = sizeof(T) == 4 ? 24 : 53};
  Operands<T> small{.engine = std::mt19937_64{7}, .bits = sizeof(T) == 4 ? 24 : 36};
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const T a = next(), b = next();
    const T p = small(), q = small(), c = small();
    const Exact ea = a, eb = b;
    const Exact sum = ea + eb, difference = ea - eb, product = ea * eb, quotient = ea / eb;
    const Exact fused = static_cast<Exact>(p) * q + c;
    const auto expect = [&](T r, Exact x, Mode mode) { wrong += !is_rounding_of(r, x, mode); };
    if constexpr (sizeof(T) == 4) {
      expect(__fadd_rn(a, b), sum, Mode::kNearest), expect(__fadd_rz(a, b), sum, Mode::kZero);
      expect(__fadd_ru(a, b), sum, Mode::kUp), expect(__fadd_rd(a, b), sum, Mode::kDown);
      expect(__fsub_rn(a, b), difference, Mode::kNearest);
      expect(__fsub_rz(a, b), difference, Mode::kZero);
      expect(__fsub_ru(a, b), difference, Mode::kUp);
      expect(__fsub_rd(a, b), difference, Mode::kDown);
      expect(__fmul_rn(a, b), product, Mode::kNearest),
          expect(__fmul_rz(a, b), product, Mode::kZero);
      expect(__fmul_ru(a, b), product, Mode::kUp), expect(__fmul_rd(a, b), product, Mode::kDown);
      expect(__fdiv_rn(a, b), quotient, Mode::kNearest);
      expect(__fdiv_rz(a, b), quotient, Mode::kZero);
      expect(__fdiv_ru(a, b), quotient, Mode::kUp), expect(__fdiv_rd(a, b), quotient, Mode::kDown);
      expect(__frcp_rn(b), 1 / eb, Mode::kNearest), expect(__frcp_rz(b), 1 / eb, Mode::kZero);
      expect(__frcp_ru(b), 1 / eb, Mode::kUp), expect(__frcp_rd(b), 1 / eb, Mode::kDown);
      expect(__fmaf_rn(p, q, c), fused, Mode::kNearest),
          expect(__fmaf_rz(p, q, c), fused, Mode::kZero);
      expect(__fmaf_ru(p, q, c), fused, Mode::kUp), expect(__fmaf_rd(p, q, c), fused, Mode::kDown);
      expect(__double2float_rn(1.0 / b), 1.0 / b, Mode::kNearest);
      expect(__double2float_rz(1.0 / b), 1.0 / b, Mode::kZero);
      expect(__double2float_ru(1.0 / b), 1.0 / b, Mode::kUp);
      expect(__double2float_rd(1.0 / b), 1.0 / b, Mode::kDown);
    } else {
      expect(__dadd_rn(a, b), sum, Mode::kNearest), expect(__dadd_rz(a, b), sum, Mode::kZero);
      expect(__dadd_ru(a, b), sum, Mode::kUp), expect(__dadd_rd(a, b), sum, Mode::kDown);
      expect(__dsub_rz(a, b), difference, Mode::kZero),
          expect(__dsub_ru(a, b), difference, Mode::kUp);
      expect(__dmul_rn(a, b), product, Mode::kNearest),
          expect(__dmul_rz(a, b), product, Mode::kZero);
      expect(__dmul_ru(a, b), product, Mode::kUp), expect(__dmul_rd(a, b), product, Mode::kDown);
      expect(__ddiv_rn(a, b), quotient, Mode::kNearest),
          expect(__ddiv_rz(a, b), quotient, Mode::kZero);
      expect(__ddiv_ru(a, b), quotient, Mode::kUp), expect(__ddiv_rd(a, b), quotient, Mode::kDown);
      expect(__drcp_ru(b), 1 / eb, Mode::kUp), expect(__drcp_rd(b), 1 / eb, Mode::kDown);
      expect(__fma_rn(p, q, c), fused, Mode::kNearest),
          expect(__fma_rz(p, q, c), fused, Mode::kZero);
      expect(__fma_ru(p, q, c), fused, Mode::kUp), expect(__fma_rd(p, q, c), fused, Mode::kDown);
    }
  }
  return wrong;
}

/// -1, 0, 1 as r*r is below, equal to, above x.
template <class T>
int square_against(T r, T x) {
  const Exact square = static_cast<Exact>(r) * r;
  return square < x ? -1 : square > x;
}

}  // namespace

TEST_CASE("float arithmetic rounds as named") { CHECK(wrong_count<float>(20000) == 0); }

TEST_CASE("double arithmetic rounds as named") { CHECK(wrong_count<double>(20000) == 0); }

TEST_CASE("the rounding check can fail") {
  const Exact x = static_cast<Exact>(1) + static_cast<Exact>(0x1p-30);
  CHECK(is_rounding_of(1.0f, x, Mode::kNearest));
  CHECK_FALSE(is_rounding_of(1.0f, x, Mode::kUp));
  CHECK_FALSE(is_rounding_of(std::nextafter(1.0f, 2.0f), x, Mode::kDown));
}

TEST_CASE("square roots round as named") {
  Operands<float> next{.bits = 24};
  for (int i = 0; i < 20000; ++i) {
    const float x = std::fabs(next());
    REQUIRE(square_against(__fsqrt_ru(x), x) >= 0);
    REQUIRE(square_against(std::nextafter(__fsqrt_ru(x), 0.0f), x) < 0);
    REQUIRE(square_against(__fsqrt_rd(x), x) <= 0);
    REQUIRE(square_against(std::nextafter(__fsqrt_rd(x), INFINITY), x) > 0);
    REQUIRE(__fsqrt_rz(x) == __fsqrt_rd(x));
    REQUIRE(square_against(__dsqrt_ru(static_cast<double>(x)), static_cast<double>(x)) >= 0);
    REQUIRE(square_against(__dsqrt_rd(static_cast<double>(x)), static_cast<double>(x)) <= 0);
    const float r = __frsqrt_rn(x);
    for (const float other : {std::nextafter(r, 0.0f), std::nextafter(r, INFINITY)}) {
      const Exact middle = (static_cast<Exact>(r) + other) / 2;
      const bool exact_below_middle = middle * middle * x > 1;
      REQUIRE(exact_below_middle == (r < other));
    }
  }
  CHECK(__frsqrt_rn(4.0f) == 0.5f);
  CHECK(__frsqrt_rn(0.0f) == INFINITY);
  CHECK(std::isnan(__frsqrt_rn(-1.0f)));
  CHECK(__frsqrt_rn(INFINITY) == 0.0f);
}

TEST_CASE("a product and a sum in round-to-nearest are never fused") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the square rounds to 1 + 2^-11, fused it would not.
  float a = 1.0f + 0x1p-12f;
  simt::detail::opaque(a);
  CHECK(__fadd_rn(__fmul_rn(a, a), -(1.0f + 0x1p-11f)) == 0.0f);
  CHECK(__fmaf_rn(a, a, -(1.0f + 0x1p-11f)) == 0x1p-24f);
}

TEST_CASE("overflow and underflow follow the rounding mode") {
  const float largest = std::numeric_limits<float>::max();
  CHECK(__fadd_ru(largest, 1.0f) == INFINITY);
  CHECK(__fadd_rz(largest, largest) == largest);
  CHECK(__fmul_rd(-largest, 2.0f) == -INFINITY);
  CHECK(__fmul_ru(0x1p-149f, 0.25f) == 0x1p-149f);
  CHECK(__fmul_rz(0x1p-149f, 0.75f) == 0.0f);
}
