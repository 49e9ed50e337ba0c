#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tut/matrix/host_matrix.hpp"
#include "tut/numeric/precision.hpp"

namespace tut {

/// 64 random bits for (seed, index), the same on every machine, in any order, in any thread and in
/// kernels: element i of a sequence needs none of the elements before it.
///
/// Source: the output function of SplitMix64 (Steele, Lea, Flood, 2014) on a mixed counter.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t state = index * 0x9E3779B97F4A7C15u;
  for (int round = 0; round < 2; ++round) {
    state ^= state >> 30;
    state *= 0xBF58476D1CE4E5B9u;
    state ^= state >> 27;
    state *= 0x94D049BB133111EBu;
    state ^= state >> 31;
    state += (round == 0 ? 0x9E3779B97F4A7C15u * (seed + 1) : 0u);
  }
  return state;
}

/// A multiple of 2^-24 in [0, 1) for (seed, index).
constexpr float random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(random_bits(seed, index) >> 40) * 0x1p-24f;
}

/// The number in `text`, the value of TUT_SEED; 0 for null.
/// @throws std::invalid_argument when it is no whole number.
inline std::uint64_t parse_seed(const char* text) {
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  if (digits.empty() || digits.size() > 19 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    throw std::invalid_argument("TUT_SEED is '" + std::string(digits) +
                                "'; expected a whole number of at most 19 digits");
  }
  return std::strtoull(text, nullptr, 10);
}

/// The number in the environment variable TUT_SEED; 0 where that is not set. Another number gives
/// other values in place of those that the host draws below, and gives the tests of exercises some
/// more shapes, so that an answer that knows the usual ones is found out.
inline std::uint64_t environment_seed() {
  static const std::uint64_t number = parse_seed(std::getenv("TUT_SEED"));
  return number;
}

/// The seed that stands for `seed` in this process: another one where TUT_SEED says so.
inline std::uint64_t process_seed(std::uint64_t seed) {
  const std::uint64_t number = environment_seed();
  return number == 0 ? seed : random_bits(number, seed);
}

/// random_bits of the seed that stands for `seed` in this process.
inline std::uint64_t drawn_bits(std::uint64_t seed, std::uint64_t index) {
  return random_bits(process_seed(seed), index);
}

/// A value in [lo, hi), correctly rounded to float and so the same on every machine with one
/// TUT_SEED.
inline float random_uniform(std::uint64_t seed, std::uint64_t index, float lo = -1, float hi = 1) {
  return static_cast<float>(std::fma(static_cast<double>(hi) - lo,
                                     static_cast<double>(random_unit(process_seed(seed), index)),
                                     lo));
}

/// Element i becomes random_uniform(seed, i, lo, hi), rounded to T.
template <class T>
void fill_uniform(std::span<T> values, std::uint64_t seed, float lo = -1, float hi = 1) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = from_float<T>(random_uniform(seed, i, lo, hi));
  }
}
template <class T>
void fill_uniform(std::vector<T>& values, std::uint64_t seed, float lo = -1, float hi = 1) {
  fill_uniform(std::span<T>(values), seed, lo, hi);
}

/// Element i becomes a random integer in [-limit, limit]: sums of products of few of them are
/// exact in any order, so a test on them needs no tolerance.
template <class T>
void fill_small_integers(std::span<T> values, std::uint64_t seed, int limit) {
  const auto count = 2 * static_cast<std::uint64_t>(limit) + 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto integer = static_cast<int>((drawn_bits(seed, i) >> 32) * count >> 32) - limit;
    values[i] = from_float<T>(static_cast<float>(integer));
  }
}
template <class T>
void fill_small_integers(std::vector<T>& values, std::uint64_t seed, int limit) {
  fill_small_integers(std::span<T>(values), seed, limit);
}

/// The same for the elements of a matrix: (r, c) gets number r * cols + c whatever the stride, and
/// the padding stays.
template <class T>
void fill_uniform(HostMatrix<T>& matrix, std::uint64_t seed, float lo = -1, float hi = 1) {
  std::uint64_t index = 0;
  for (int r = 0; r < matrix.rows(); ++r) {
    for (T& value : matrix.row(r)) value = from_float<T>(random_uniform(seed, index++, lo, hi));
  }
}
template <class T>
void fill_small_integers(HostMatrix<T>& matrix, std::uint64_t seed, int limit) {
  HostMatrix<T> dense(matrix.rows(), matrix.cols());
  fill_small_integers(dense.span(), seed, limit);
  for (int r = 0; r < matrix.rows(); ++r) std::ranges::copy(dense.row(r), matrix.row(r).begin());
}

}  // namespace tut
