#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"

/// What the tests of this chapter's exercises share.
namespace tut::ch14 {

/// An image of a vector in memory, with guard zones. `shift`: elements by which it begins off a
/// place that is aligned for loads of 16 bytes.
template <class T>
Guarded<T> vector_image(const std::vector<T>& values, std::size_t shift = 0) {
  const auto size = static_cast<int>(values.size());
  Guarded<T> image(1, size, size, 1024 + shift);
  std::ranges::copy(values, image.view().data);
  return image;
}

/// The same for a result of `size` elements, not written yet.
template <class T>
Guarded<T> result_image(std::size_t size, std::size_t shift = 0) {
  const auto elements = static_cast<int>(size);
  return Guarded<T>(1, elements, elements, 1024 + shift);
}

template <class T>
std::span<T> span_of(MatrixView<T> view) {
  return {view.data, static_cast<std::size_t>(view.cols)};
}

inline std::vector<float> uniform_values(std::size_t size, std::uint64_t seed, float lo = -1,
                                         float hi = 1) {
  std::vector<float> values(size);
  fill_uniform(values, seed, lo, hi);
  return values;
}

inline constexpr float INF = std::numeric_limits<float>::infinity();
inline constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

/// Uniform values with infinities, NaN and zeros here and there: a thread with more than one
/// element has to go on behind each.
inline std::vector<float> mixed_values(std::size_t size, std::uint64_t seed) {
  constexpr float SPECIAL[] = {INF, -INF, NOT_A_NUMBER, 0.0f, -0.0f};
  std::vector<float> values = uniform_values(size, seed);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t number = drawn_bits(100 + seed, i);
    if (number % 16 == 0) values[i] = SPECIAL[number / 16 % std::size(SPECIAL)];
  }
  return values;
}

/// Whether a result is within `relative` of |expected| plus `absolute`, and nothing around it has
/// changed. Unsigned numbers of more than a byte are words of bits. `planes`: of those of a tensor.
/// `mistakes` are recognised.
template <class T>
Outcome near_outcome(const Guarded<T>& before, const Guarded<T>& after,
                     const std::vector<double>& expected, double relative, double absolute,
                     const std::string& name, const std::string& text, int planes = 0,
                     const std::vector<Formula>& mistakes = {}) {
  constexpr bool words = std::is_unsigned_v<T> && sizeof(T) > 1;  // a byte is a number
  constexpr int word_bits = words ? 8 * static_cast<int>(sizeof(T)) : 0;
  const auto size = static_cast<int>(expected.size());
  const auto value = [&](int, int c) { return expected[static_cast<std::size_t>(c)]; };
  return first_failure(
      {compare(
           after.cview(), make_matrix<double>(1, size, value),
           make_matrix<double>(
               1, size, [&](int, int c) { return relative * std::abs(value(0, c)) + absolute; }),
           {.name = name,
            .shape = text,
            .is_vector = true,
            .planes = planes,
            .word_bits = word_bits,
            .pattern = [&](const Mismatch& m) { return formula_pattern(m, mistakes); }}),
       only_inside_changed(before, after, name, text, true)});
}

/// Whether each element is within 1e-6 of itself, and a step of the smallest numbers, of what is
/// expected, which may be infinite, NaN, huge or tiny.
template <class T>
Outcome special_outcome(const Guarded<T>& after, const std::vector<double>& expected,
                        const std::string& name, const std::string& text, int planes = 0) {
  const auto size = static_cast<int>(expected.size());
  const auto value = [&](int, int c) { return expected[static_cast<std::size_t>(c)]; };
  return compare(after.cview(), make_matrix<double>(1, size, value),
                 make_matrix<double>(
                     1, size, [&](int, int c) { return 1e-6 * std::abs(value(0, c)) + 0x1p-149; }),
                 {.name = name, .shape = text, .is_vector = true, .planes = planes, .pattern = {}});
}

}  // namespace tut::ch14
