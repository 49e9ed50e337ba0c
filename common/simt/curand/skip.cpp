// Skipping ahead: the steps of both generators are linear, so that many of them are one product.
// Source: cuRAND documentation, "skipahead"; P. L'Ecuyer et al., "An Object-Oriented Random-Number
// Package with Many Long Streams and Substreams" (2002).
#include <array>
#include <cstdint>
#include <memory>

#include "simt/curand/states.hpp"

namespace simt::curand {
namespace {

using Bits = std::array<std::uint32_t, 5>;  // 160 of them, of XORWOW's registers

/// A linear map of 160 bits: what becomes of each of them.
using BitMap = std::array<Bits, 160>;

Bits mapped(const BitMap& map, const Bits& x) {
  Bits result{};
  for (unsigned i = 0; i < 160; ++i) {
    const std::uint32_t mask = 0U - (x[i / 32] >> i % 32 & 1U);
    for (unsigned k = 0; k < 5; ++k) result[k] ^= map[i][k] & mask;
  }
  return result;
}

BitMap one_step() {
  BitMap map{};
  for (unsigned i = 0; i < 160; ++i) {
    curandStateXORWOW state{};
    state.v[i / 32] = 1U << i % 32;
    ::curand(&state);
    for (unsigned k = 0; k < 5; ++k) map[i][k] = state.v[k];
  }
  return map;
}

constexpr unsigned kPowers = 64 + kXorwowSubsequence;

/// 2^0, 2^1, ... steps.
using BitMaps = std::array<BitMap, kPowers>;

std::unique_ptr<BitMaps> make_bit_maps() {
  auto maps = std::make_unique<BitMaps>();
  (*maps)[0] = one_step();
  for (unsigned p = 1; p < kPowers; ++p) {
    for (unsigned i = 0; i < 160; ++i) (*maps)[p][i] = mapped((*maps)[p - 1], (*maps)[p - 1][i]);
  }
  return maps;
}

using Triple = std::array<std::uint64_t, 3>;
using Matrix = std::array<Triple, 3>;  // by rows

Triple mapped(const Matrix& a, const Triple& x, std::uint64_t modulus) {
  Triple y{};
  for (unsigned i = 0; i < 3; ++i) {
    for (unsigned k = 0; k < 3; ++k) y[i] = (y[i] + a[i][k] * x[k] % modulus) % modulus;
  }
  return y;
}

Matrix square(const Matrix& a, std::uint64_t modulus) {
  Matrix result{};
  for (unsigned k = 0; k < 3; ++k) {
    const Triple column = mapped(a, {a[0][k], a[1][k], a[2][k]}, modulus);
    for (unsigned i = 0; i < 3; ++i) result[i][k] = column[i];
  }
  return result;
}

/// One recurrence: x3 = c0 x0 + c1 x1 + c2 x2.
class Recurrence {
 public:
  Recurrence(const Triple& last_row, std::uint64_t modulus) : modulus_(modulus) {
    powers_[0] = {Triple{0, 1, 0}, Triple{0, 0, 1}, last_row};
    for (unsigned p = 1; p < powers_.size(); ++p) powers_[p] = square(powers_[p - 1], modulus);
  }

  void skip(unsigned (&s)[3], unsigned log2_step, unsigned long long count) const {
    Triple x{s[0], s[1], s[2]};
    for (unsigned p = log2_step; count != 0; ++p, count >>= 1) {
      if ((count & 1) != 0) x = mapped(powers_[p], x, modulus_);
    }
    for (unsigned i = 0; i < 3; ++i) s[i] = static_cast<unsigned>(x[i]);
  }

 private:
  std::array<Matrix, 64 + kMrgSequence> powers_{};
  std::uint64_t modulus_;
};

}  // namespace

void skip_xorwow(unsigned (&v)[5], unsigned log2_step, unsigned long long count) {
  static const BitMaps& maps = *make_bit_maps().release();  // kernels may run to the very end
  Bits x{v[0], v[1], v[2], v[3], v[4]};
  for (unsigned p = log2_step; count != 0; ++p, count >>= 1) {
    if ((count & 1) != 0) x = mapped(maps[p], x);
  }
  for (unsigned k = 0; k < 5; ++k) v[k] = x[k];
}

void skip_mrg32k3a(unsigned (&s1)[3], unsigned (&s2)[3], unsigned log2_step,
                   unsigned long long count) {
  static const Recurrence first({kMrgModulus1 - 810728U, 1403580U, 0}, kMrgModulus1);
  static const Recurrence second({kMrgModulus2 - 1370589U, 0, 527612U}, kMrgModulus2);
  first.skip(s1, log2_step, count);
  second.skip(s2, log2_step, count);
}

}  // namespace simt::curand
