#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "12_mixed_precision/formats.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch12 {

/// Patterns of the last `count` bits: none, all, each single bit, each two, each run, and each of
/// these turned over.
inline std::vector<std::uint32_t> bit_patterns(int count) {
  const auto low_bits = [](int bits) { return (1u << bits) - 1; };
  std::vector<std::uint32_t> patterns{0, low_bits(count)};
  for (int high = 0; high < count; ++high) {
    for (int low = 0; low <= high; ++low) {
      const std::uint32_t ends = 1u << high | 1u << low;
      for (const std::uint32_t pattern : {ends, low_bits(high + 1) - low_bits(low)}) {
        patterns.push_back(pattern);
        patterns.push_back(pattern ^ low_bits(count));
      }
    }
  }
  return patterns;
}

/// What a float's 23 stored bits may hold, each once, where the last `dropped` of its 24
/// significant bits do not fit the format: all bit_patterns of those that are dropped, beside none,
/// the last, and all of those that are kept. Of less than a quarter of the smallest number, all or
/// none.
inline std::vector<std::uint32_t> significands(int dropped) {
  constexpr int STORED = FP32.stored_bits;
  constexpr std::uint32_t ALL = (1u << STORED) - 1;
  if (dropped > STORED + 2) return {0, ALL};
  const int below = std::min(dropped, STORED);
  const std::uint32_t kept = ALL >> below << below;
  std::vector<std::uint32_t> result;
  for (const std::uint32_t above : {0u, kept & 1u << below, kept}) {
    for (const std::uint32_t pattern : bit_patterns(below)) result.push_back(above | pattern);
  }
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

/// For every exponent of a float, NaNs' too, the significands that show which of the dropped bits a
/// conversion to the format looks at.
inline void append_dropped_bits(const Format& format, std::vector<float>& probes) {
  constexpr std::uint32_t EXPONENTS = 1u << FP32.exponent_bits;
  for (std::uint32_t field = 0; field < EXPONENTS; ++field) {
    const int exponent = std::max(static_cast<int>(field), 1) - FP32.bias();
    const int below = std::max(format.smallest_exponent() - exponent, 0);
    const int dropped = FP32.stored_bits - format.stored_bits + below;
    for (const std::uint32_t significand : significands(dropped)) {
      const auto x = std::bit_cast<float>(field << FP32.stored_bits | significand);
      probes.push_back(x);
      probes.push_back(-x);
    }
  }
}

/// The floats at which a conversion to the format is decided: every number of the format, every
/// midpoint between two neighbours and the floats on both sides of it, all with both signs; what
/// lies beyond the largest; bits that are dropped, at every place (append_dropped_bits);
/// infinities, NaNs; and floats of every size between. In no order, so that each sort stands beside
/// each other.
inline std::vector<float> rounding_probes(const Format& format) {
  std::vector<float> probes;
  for (unsigned code = 0; code <= format.largest_code(); ++code) {
    // After the largest the numbers are thought to go on: there overflow begins.
    const double value = value_of(format, code), next = value_of(format, code + 1);
    const auto middle = static_cast<float>((value + next) / 2);
    for (const float x : {static_cast<float>(value), middle, std::nextafter(middle, 0.0f),
                          std::nextafter(middle, INFINITY)}) {
      probes.push_back(x);
      probes.push_back(-x);
    }
  }
  append_dropped_bits(format, probes);
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 65521) {
    probes.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (const std::uint32_t bits : {0x7F800000u, 0xFF800000u, 0x7F7FFFFFu, 0xFF7FFFFFu, 0x00000001u,
                                   0x7FC00000u, 0x7F800001u, 0xFFFFFFFFu, 0x7FFFFFFFu}) {
    probes.push_back(std::bit_cast<float>(bits));
  }
  for (std::size_t i = probes.size() - 1; i > 0; --i) {
    std::swap(probes[i], probes[drawn_bits(12, i) % (i + 1)]);
  }
  return probes;
}

/// What sort of conversion a float asks for.
inline std::string sort_of(const Format& format, float x) {
  const double magnitude = std::abs(static_cast<double>(x));
  if (std::isnan(x)) return "NaNs";
  if (std::isinf(x)) return "infinities";
  if (magnitude > largest(format)) return "numbers beyond the largest";
  const double steps = magnitude / spacing(format, magnitude);
  const bool tie = steps - std::floor(steps) == 0.5;
  if (magnitude < smallest_normal(format)) return tie ? "subnormal ties" : "subnormal numbers";
  return tie ? "ties" : "normal numbers";
}

/// A conversion from float on trial. `expected(x)` is the code it must give; `matches` says whether
/// a code will do, where several will.
template <class Code>
struct RoundingTrial {
  Format format;
  std::function<void(std::span<const float> in, std::span<Code> out, cudaStream_t)> convert;
  std::function<Code(float)> expected;
  std::function<bool(Code got, Code expected)> matches = std::equal_to<Code>();
  std::vector<float> probes = rounding_probes(format);
};

/// "9 of 64 elements were never written", if that is what is wrong; "" if it is not.
template <class Code>
std::string unwritten_probes(const RoundingTrial<Code>& trial, std::span<const float> in,
                             std::span<const Code> out) {
  std::size_t unwritten = 0, wrong = 0, first = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (trial.matches(out[i], trial.expected(in[i]))) continue;
    ++wrong;
    if (is_unwritten(out[i]) && unwritten++ == 0) first = i;
  }
  // One byte in 256 is the unwritten one by chance.
  if (unwritten < (sizeof(Code) == 1 ? 2 : 1) || 10 * unwritten < 9 * wrong) return "";
  return std::to_string(unwritten) + " of " + std::to_string(in.size()) + " elements " +
         (unwritten == 1 ? "was" : "were") + " never written, first element " +
         std::to_string(first) + ": does the grid cover them, and is each result stored?";
}

/// The first probe that comes out wrong, a normal number if there is one, and how many of which
/// sort do.
template <class Code>
std::string wrong_probes(const RoundingTrial<Code>& trial, std::span<const float> in,
                         std::span<const Code> out) {
  std::string first;
  bool first_is_plain = false;
  std::vector<std::pair<std::string, int>> sorts;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Code expected = trial.expected(in[i]);
    if (trial.matches(out[i], expected)) continue;
    const std::string sort = sort_of(trial.format, in[i]);
    const auto known =
        std::ranges::find_if(sorts, [&](const auto& entry) { return entry.first == sort; });
    if (known == sorts.end()) {
      sorts.emplace_back(sort, 1);
    } else {
      ++known->second;
    }
    const bool plain = sort == "normal numbers";
    if (!first.empty() && (!plain || first_is_plain)) continue;
    first_is_plain = plain;
    char text[160];
    std::snprintf(text, sizeof(text), "%.9g (bits 0x%08X) must become 0x%X, but became 0x%X",
                  static_cast<double>(in[i]), std::bit_cast<std::uint32_t>(in[i]),
                  static_cast<unsigned>(expected), static_cast<unsigned>(out[i]));
    first = text;
  }
  if (first.empty()) return "";
  first += "\n  wrong:";
  for (const auto& [sort, count] : sorts) first += " " + std::to_string(count) + " " + sort + ",";
  first.back() = '\n';
  return first;
}

/// How many elements lie before the first: with multiples of 16, it is at a multiple of 16 bytes.
struct Begin {
  std::size_t in = 1024, out = 1024;
};

/// Runs the conversion on all probes, on the first `count`, or on more: then from the first again.
/// Inputs and surroundings must stay.
template <class Code>
Outcome rounding_outcome(const RoundingTrial<Code>& trial, std::size_t count = SIZE_MAX,
                         Begin begin = {}) {
  std::vector<float> probes = trial.probes;
  const std::size_t all = probes.size();
  probes.resize(count == SIZE_MAX ? all : count);
  for (std::size_t i = all; i < probes.size(); ++i) probes[i] = probes[i - all];
  const auto size = static_cast<int>(probes.size());
  Guarded<float> in(1, size, size, begin.in);
  Guarded<Code> out(1, size, size, begin.out);
  std::ranges::copy(probes, in.view().data);
  const Guarded<float> in_before = in;
  const Guarded<Code> out_before = out;
  const bool shifted = begin.in % 16 != 0 || begin.out % 16 != 0;
  const std::string text = std::to_string(size) + " floats" +
                           (shifted ? ", which begin at no multiple of 16 bytes" : "");
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<float> from, MatrixView<Code> to) {
        trial.convert({from.data, probes.size()}, {to.data, probes.size()}, stream);
      },
      in, out);
  if (!run.ok) return run;
  const std::span<const Code> codes{out.cview().data, static_cast<std::size_t>(size)};
  if (const std::string wrong = wrong_probes<Code>(trial, probes, codes); !wrong.empty()) {
    const std::string unwritten = unwritten_probes<Code>(trial, probes, codes);
    return failure("values", (unwritten.empty() ? wrong + "  (" : unwritten + " (") + text + ")");
  }
  try_own_comparison("the output", codes, [&](std::span<const Code> others) {
    return wrong_probes<Code>(trial, probes, others).empty();
  });
  return first_failure({only_inside_changed(out_before, out, "the output", text, true),
                        nothing_changed(in_before, in, "in", text, true)});
}

/// Of two vectors: lengths that differ, either way, or are 0.
inline constexpr std::array<std::pair<std::size_t, std::size_t>, 5> WRONG_LENGTHS{
    {{2, 1}, {1, 2}, {2, 0}, {0, 2}, {0, 0}}};

/// Two arrays, one of which begins at a multiple of each power of 2 below 16 bytes but not of 16,
/// whatever its elements are.
inline constexpr std::array<Begin, 8> anywhere{{{.in = 1025, .out = 1024},
                                                {.in = 1026, .out = 1024},
                                                {.in = 1028, .out = 1024},
                                                {.in = 1032, .out = 1024},
                                                {.in = 1024, .out = 1025},
                                                {.in = 1024, .out = 1026},
                                                {.in = 1024, .out = 1028},
                                                {.in = 1024, .out = 1032}}};

/// All probes; lengths around a warp and a block; more than a grid reaches that stops growing;
/// memory that begins anywhere.
template <class Code>
void expect_rounding(const RoundingTrial<Code>& trial) {
  for (const std::size_t count :
       {SIZE_MAX, std::size_t{1}, std::size_t{257}, std::size_t{300003}}) {
    expect(rounding_outcome(trial, count));
  }
  const LongBuffer<float> in;
  const LongBuffer<Code> out;
  expect(grid_reach_outcome(
      [&](cudaStream_t stream, int n) {
        const auto size = static_cast<std::size_t>(n);
        trial.convert({in.data(), size}, {out.data(), size}, stream);
      },
      [&](int n) { return rounding_outcome(trial, static_cast<std::size_t>(n)); }, 300003,
      MarkedParts("the result", out.data(), kLongSize)));
  for (const Begin& begin : anywhere) expect(rounding_outcome(trial, 1000, begin));
}

}  // namespace tut::ch12
