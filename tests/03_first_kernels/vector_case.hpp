#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch03 {

/// Guard zones of kOddGuard elements let a vector begin at no multiple of 16 bytes.
constexpr std::size_t kGuard = 1024, kOddGuard = 1025;

/// An image of a vector in memory, with guard zones.
inline Guarded<float> make_vector(const std::vector<float>& values, std::size_t guard = kGuard) {
  const auto size = static_cast<int>(values.size());
  Guarded<float> image(1, size, size, guard);
  std::ranges::copy(values, image.view().data);
  return image;
}

/// Random values in [-1, 1). Every fourth is infinite, NaN, 0 or -0, tiny, or one of `more`, so
/// that many a thread meets some of them before it comes to others.
inline std::vector<float> mixed_values(int n, std::uint64_t seed,
                                       std::initializer_list<float> more = {}) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> special = {
      Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 0.0f, -0.0f,
      Limits::denorm_min()};
  special.insert(special.end(), more);
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_uniform(values, seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = drawn_bits(seed + 1, i) >> 32;
    if (bits % 4 == 0) values[i] = special[bits / 4 % special.size()];
  }
  return values;
}

/// The pattern of a vector of which what is wrong is as it was before the call; "" if it is not.
inline std::string unchanged_pattern(const Mismatch& m, const Guarded<float>& before,
                                     const Guarded<float>& after) {
  int first = -1, last_changed = -1;
  bool is_one_value = true;  // that all that is wrong should be
  for (int c = 0; c < m.cols(); ++c) {
    const bool is_same = bits_of(before.cview()(0, c)) == bits_of(after.cview()(0, c));
    if (m.is_bad(0, c) && !is_same) return "";
    if (m.is_bad(0, c) && first < 0) first = c;
    is_one_value = is_one_value && (!m.is_bad(0, c) || m.expected(0, c) == m.expected(0, first));
    if (!is_same) last_changed = c;
  }
  if (m.bad() < 2) {
    const bool is_end = m.cols() > 2 && (first == 0 || first == m.cols() - 1);
    if (!is_end) return "";
    return std::string("the ") + (first == 0 ? "first" : "last") +
           " element alone is as it was before the call: which thread should have it?";
  }
  if (is_one_value && last_changed >= 0) {
    return "whatever should become " + value_text(m.expected(0, first)) +
           " is as it was before the call, and nothing else is wrong";
  }
  if (last_changed < 0 || first < last_changed) {
    return "what is wrong is as it was before the call: is each new value stored?";
  }
  const bool is_half = std::abs(2 * first - m.cols()) <= 2;
  return "what is wrong is as it was before the call, from element " + std::to_string(first) +
         " on: does each thread go on until no element is left" +
         (is_half ? ", and is an element read before another value overwrites it?" : "?");
}

/// Whether the vector holds exactly the expected values, and nothing around it has changed.
inline Outcome exactly(const Guarded<float>& before, const Guarded<float>& after,
                       const std::vector<float>& expected, const std::string& name,
                       const std::string& text) {
  const auto size = static_cast<int>(expected.size());
  const auto as_row = [&](auto&& element) {
    return make_matrix<double>(1, size, [&](int, int c) { return element(c); });
  };
  const auto pattern = [&](const Mismatch& m) { return unchanged_pattern(m, before, after); };
  return first_failure(
      {compare(after.cview(), as_row([&](int c) { return expected[static_cast<std::size_t>(c)]; }),
               as_row([](int) { return 0.0; }),
               {.name = name, .shape = text, .is_vector = true, .pattern = pattern}),
       only_inside_changed(before, after, name, text, true)});
}

/// The same of elements that are only moved: -0 is not 0.
inline Outcome exactly_moved(const Guarded<float>& before, const Guarded<float>& after,
                             const std::vector<float>& expected, const std::string& name,
                             const std::string& text) {
  if (Outcome values = exactly(before, after, expected, name, text); !values.ok) return values;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float got = after.cview().data[i];
    if (std::isnan(got) || std::signbit(got) == std::signbit(expected[i])) continue;
    return failure("values", name + " is wrong at index " + std::to_string(i) + ": got " +
                                 value_text(got) + "; expected " + value_text(expected[i]) + " (" +
                                 text + ")");
  }
  return {};
}

}  // namespace tut::ch03
