// The bound of matmul_bound lets honest float sums pass in any order and refuses the next lower
// precision. Inputs are uniform in [-1, 1].

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "tut/compare/compare.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/numeric/random.hpp"

namespace tut {
namespace {

constexpr int rows = 16, cols = 16;
constexpr int lengths[] = {1, 2, 7, 16, 64, 256, 1024, 4096};

using Terms = std::vector<float>;
using Sum = std::function<float(const Terms& a, const Terms& b)>;
using Rounding = std::function<float(float)>;

float sequential(const Terms& a, const Terms& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

float sequential_fma(const Terms& a, const Terms& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

float backwards(const Terms& a, const Terms& b) {
  float sum = 0;
  for (std::size_t k = a.size(); k-- > 0;) sum += a[k] * b[k];
  return sum;
}

// 32 partial sums, then a tree: what vector units and warps do.
float interleaved(const Terms& a, const Terms& b) {
  float partial[32] = {};
  for (std::size_t k = 0; k < a.size(); ++k) partial[k % 32] += a[k] * b[k];
  for (int step = 16; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) partial[i] += partial[i + step];
  }
  return partial[0];
}

float in_tiles_of_32(const Terms& a, const Terms& b) {
  float sum = 0;
  for (std::size_t start = 0; start < a.size(); start += 32) {
    float tile = 0;
    for (std::size_t k = start; k < std::min(a.size(), start + 32); ++k) tile += a[k] * b[k];
    sum += tile;
  }
  return sum;
}

// Rounds to nearest even at `bits` significant bits, within float's range.
float round_to_bits(float value, int bits) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(value), &exponent);
  return static_cast<float>(
      std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits));
}

float keep(float value) { return value; }
float to_tf32(float value) { return round_to_bits(value, 11); }
float to_half(float value) { return round_to_bits(value, 11); }
float to_bfloat16(float value) { return round_to_bits(value, 8); }

// What a tensor core reads of a float that was not rounded to TF32.
float cut_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFFE000u);
}

float half_sums(const Terms& a, const Terms& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = to_half(std::fma(a[k], b[k], sum));
  return sum;
}

bool passes(int length, const Sum& sum, const Rounding& round_inputs,
            const MatmulTolerance& tolerance = {}, const Rounding& round_output = keep) {
  HostMatrix<float> a(rows, length), b(length, cols);
  fill_uniform(a, 11);
  fill_uniform(b, 12);
  const auto reference = matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  const auto got = make_matrix<float>(rows, cols, [&](int r, int c) {
    Terms row, col;
    for (int k = 0; k < length; ++k) {
      row.push_back(round_inputs(a(r, k)));
      col.push_back(round_inputs(b(k, c)));
    }
    return round_output(sum(row, col));
  });
  return compare(got.cview(), reference.product, matmul_bound(reference, tolerance)).ok;
}

TEST_CASE("honest float sums pass in every order, up to K = 4096") {
  for (const int length : lengths) {
    CAPTURE(length);
    CHECK(passes(length, sequential, keep));
    CHECK(passes(length, sequential_fma, keep));
    CHECK(passes(length, backwards, keep));
    CHECK(passes(length, interleaved, keep));
    CHECK(passes(length, in_tiles_of_32, keep));
  }
}

TEST_CASE("inputs rounded to TF32, half or bfloat16 fail the bound of float, up to K = 4096") {
  for (const int length : lengths) {
    CAPTURE(length);
    CHECK_FALSE(passes(length, in_tiles_of_32, to_tf32));
    CHECK_FALSE(passes(length, in_tiles_of_32, cut_to_tf32));
    CHECK_FALSE(passes(length, in_tiles_of_32, to_half));
    CHECK_FALSE(passes(length, in_tiles_of_32, to_bfloat16));
  }
}

TEST_CASE("sums in half fail the bound of float sums") {
  for (const int length : lengths) {
    CAPTURE(length);
    CHECK_FALSE(passes(length, half_sums, keep));
    if (length >= 16)
      CHECK_FALSE(
          passes(length, half_sums, keep, {.output_rounding = 0x1p-11, .underflow = 0x1p-25}));
  }
}

TEST_CASE("the bound of TF32 inputs lets them pass, and refuses bfloat16") {
  for (const int length : lengths) {
    CAPTURE(length);
    const MatmulTolerance rounded{.accumulation = 0x1p-23, .input_rounding = 0x1p-11};
    const MatmulTolerance cut{.accumulation = 0x1p-23, .input_rounding = 0x1p-10};
    CHECK(passes(length, sequential, to_tf32, rounded));
    CHECK(passes(length, sequential, cut_to_tf32, cut));
  }
  const MatmulTolerance rounded{.accumulation = 0x1p-23, .input_rounding = 0x1p-11};
  for (const int length : {1, 2, 7}) CHECK_FALSE(passes(length, sequential, to_bfloat16, rounded));
}

TEST_CASE("an output in half passes its bound, and one in bfloat16 does not") {
  const MatmulTolerance half{.output_rounding = 0x1p-11, .underflow = 0x1p-25};
  for (const int length : lengths) {
    CAPTURE(length);
    CHECK(passes(length, sequential, keep, half, to_half));
    CHECK_FALSE(passes(length, sequential, keep, half, to_bfloat16));
    CHECK_FALSE(passes(length, sequential, keep, {}, to_half));
  }
}

TEST_CASE("the worst-case bound K u would let inputs in half pass at K = 1024") {
  const double root = std::sqrt(1024.0);
  const MatmulTolerance worst_case{.accumulation = 0x1p-24 * root / 2};
  CHECK(passes(1024, in_tiles_of_32, to_half, worst_case));
}

TEST_CASE("matmul_reference: product and magnitude of a small case by hand") {
  const auto a = make_matrix<double>(2, 2, [](int r, int c) { return r == 0 ? c + 1 : -c - 3; });
  const auto b = make_matrix<double>(2, 1, [](int r, int) { return r == 0 ? 5 : -6; });
  const MatmulReference reference = matmul_reference(a, b);
  CHECK(reference.product(0, 0) == 1 * 5 - 2 * 6);
  CHECK(reference.product(1, 0) == -3 * 5 + 4 * 6);
  CHECK(reference.magnitude(0, 0) == 17);
  CHECK(reference.magnitude(1, 0) == 39);
  CHECK(reference.k == 2);
  CHECK_THROWS_AS(matmul_reference(b, b), std::invalid_argument);
}

}  // namespace
}  // namespace tut
