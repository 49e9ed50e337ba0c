#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "08_reductions/stretches.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"
#include "tut/trial/grid_reach.hpp"

/// What the tests of this chapter share.
namespace tut::ch08 {

inline constexpr float INF = std::numeric_limits<float>::infinity();
inline const float NOT_A_NUMBER = std::nanf("");

/// Of an exercise whose contract has one launch.
inline constexpr CallRules ONE_LAUNCH{.most_launches = 1};

/// Lengths around warps, blocks and tiles, primes, 1, and one above 2^20.
inline const std::vector<std::size_t>& lengths() {
  static const std::vector<std::size_t> values = {
      5000, 1,    2,    3,    31,    32,    33,    255,   256,           257,
      1021, 4095, 4096, 4097, 65535, 65536, 65537, 99991, 1048577 + 4096};
  return values;
}

/// A vector in memory with guard zones. A guard that is no multiple of 4 puts it at an odd place.
template <class T>
Guarded<T> vector_image(const std::vector<T>& values, std::size_t guard = 1024) {
  const auto size = static_cast<int>(values.size());
  Guarded<T> image(1, size, size, guard);
  std::ranges::copy(values, image.view().data);
  return image;
}
template <class T>
Guarded<T> result_image(std::size_t size, std::size_t guard = 1024) {
  const auto elements = static_cast<int>(size);
  return Guarded<T>(1, elements, elements, guard);
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
inline std::vector<float> small_integers(std::size_t size, std::uint64_t seed, int limit) {
  std::vector<float> values(size);
  fill_small_integers(values, seed, limit);
  return values;
}

/// Whether a vector is `expected`, each element within its bound, and nothing around it changed.
inline Outcome vector_outcome(const Guarded<float>& before, const Guarded<float>& after,
                              const std::vector<double>& expected, const std::vector<double>& bound,
                              const std::string& name, const std::string& text,
                              const std::function<std::string()>& probe = {}) {
  CompareOptions options{.name = name, .shape = text, .is_vector = true, .pattern = {}};
  options.probe = probe;
  const auto row = [](const std::vector<double>& values) {
    return make_matrix<double>(1, static_cast<int>(values.size()),
                               [&](int, int c) { return values[static_cast<std::size_t>(c)]; });
  };
  return first_failure({compare(after.cview(), row(expected), row(bound), options),
                        only_inside_changed(before, after, name, text, true)});
}

/// `NaN`, with its bits if they are others than NOT_A_NUMBER's.
inline std::string name_of_nan(float nan) {
  const auto bits = std::bit_cast<std::uint32_t>(nan);
  if (bits == std::bit_cast<std::uint32_t>(NOT_A_NUMBER)) return "NaN";
  char text[32];
  std::snprintf(text, sizeof(text), "NaN (0x%08X)", static_cast<unsigned>(bits));
  return text;
}

/// Where an input has NaN and infinities: `, NaN at 31, +inf at 5 and 3 more, -inf everywhere`.
inline std::string strange_text(std::span<const float> values) {
  std::string text;
  const auto tell = [&](const char* name, const auto& is_such) {
    const auto first = std::ranges::find_if(values, is_such);
    if (first == values.end()) return;
    const std::ptrdiff_t count = std::count_if(first, values.end(), is_such);
    text += ", " + (std::isnan(*first) ? name_of_nan(*first) : name);
    if (count > 1 && count == std::ssize(values)) {
      text += " everywhere";
    } else {
      text += " at " + std::to_string(first - values.begin());
      if (count > 1) text += " and " + std::to_string(count - 1) + " more";
    }
  };
  tell("NaN", [](float value) { return std::isnan(value); });
  tell("+inf", [](float value) { return value == INF; });
  tell("-inf", [](float value) { return value == -INF; });
  return text;
}

/// More elements than MAX_STRETCHES tiles: a stretch is two of them, and there are thousands.
inline constexpr std::size_t LONGER_STRETCHES = MAX_STRETCHES * STRETCH_TILE + 4099;
static_assert(stretch_length(LONGER_STRETCHES) == 2 * STRETCH_TILE);
/// Places in the second tile of the first stretch, of one in the middle, and in the last stretch.
inline constexpr std::size_t IN_LONGER_STRETCHES[] = {
    STRETCH_TILE + 5, (stretches(LONGER_STRETCHES) / 2 * 2 + 1) * STRETCH_TILE + 1030,
    LONGER_STRETCHES - 1};

/// Runs `call(stream, in)` on so many elements, all 0 but those at IN_LONGER_STRETCHES, which are
/// `values`. Where kernels are watched they are not looked at for races, which would take too long.
template <class Call, class Check>
Outcome longer_stretches_outcome(const std::vector<float>& values, const Call& call,
                                 const Check& check_result) {
  if (has_failed()) return {};
  const WithoutRaces watched_in_part;
  DeviceBuffer<float> in(LONGER_STRETCHES);
  in.fill_bytes(0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    check(cudaMemcpy(in.data() + IN_LONGER_STRETCHES[i], &values[i], sizeof(float),
                     cudaMemcpyHostToDevice));
  }
  const std::string text =
      std::to_string(LONGER_STRETCHES) + " elements, in stretches of two tiles";
  const Outcome run = outcome_of_call(text, [&] {
    run_to_end([&](cudaStream_t stream) {
      call(stream, std::span<const float>{in.data(), LONGER_STRETCHES});
    });
  });
  return run.ok ? check_result(text) : run;
}

/// Whether every element is right: a NaN where a NaN is expected, an infinity where an infinity is.
/// `name_of(i)` is what the learner calls an element; `error` is allowed, absolute and relative.
template <class NameOf>
Outcome special_outcome(std::span<const float> got, std::span<const double> expected,
                        const std::string& text, const NameOf& name_of, double error = 1e-6) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_right(got[i], expected[i], error + error * std::abs(expected[i]))) continue;
    return failure("values", name_of(i) + " is " + value_text(got[i]) + "; expected " +
                                 value_text(expected[i]) + " (" + text + ")" +
                                 reason_of_lost_nan(got[i], expected[i]));
  }
  return {};
}

/// Rows in memory: how many, how long, how far apart beyond their length, and how far into memory.
struct RowCase {
  int rows, cols;
  std::int64_t gap;
  std::size_t guard;
  std::string text() const {
    return std::to_string(rows) + "x" + std::to_string(cols) + ", stride " +
           std::to_string(cols + gap) + (guard % 4 == 0 ? "" : ", at an odd place");
  }
};

/// Rows of every length up to `longest`, around warps, blocks and what registers hold: where
/// 16-byte accesses are possible, and where they are not. The first is one that shows much.
inline std::vector<RowCase> row_cases(int longest) {
  std::vector<RowCase> cases = {{9, 600, 4, 64}, {9, 601, 3, 64}};
  for (const int cols :
       {1,    2,    3,    4,    31,   32,   33,   127,  128,   129,   256,   257,   260,  1000,
        1021, 1024, 1025, 1028, 4093, 4096, 4097, 4100, 16383, 16384, 16385, 16388, 20011}) {
    if (cols > longest) continue;
    const int rows = cols > 2000 ? 2 : 9;
    cases.push_back({rows, cols, 0, 64});
    cases.push_back({rows, cols, 4, 64});
    if (cols % 4 == 0) cases.push_back({rows, cols, 0, 65});
  }
  // Only the stride keeps all rows but the first from 16-byte accesses.
  cases.push_back({1, 36, 1, 64});
  cases.push_back({5, 8, 1, 64});
  cases.push_back({3, 1028, 2, 64});
  cases.push_back({67, 40, 0, 64});
  return cases;
}

/// Rows that lie far apart: more than the blocks of 32 take, the last of them beyond 32 bits, at
/// multiples of 16 bytes, and not; and such as lie farther apart than 32 bits count.
struct FarCase {
  int rows, cols;
  std::int64_t stride;
};
inline const std::vector<FarCase>& far_cases() {
  static const std::vector<FarCase> cases = {
      {37, 40, kFarRowStride}, {37, 41, kFarRowStride + 1}, {3, 40, kFarStride}};
  return cases;
}

inline Guarded<float> row_image(const RowCase& c) {
  return Guarded<float>(c.rows, c.cols, c.cols + c.gap, c.guard);
}
inline Guarded<float> row_image(const RowCase& c, const HostMatrix<float>& values) {
  Guarded<float> image = row_image(c);
  image.set(values);
  return image;
}
inline HostMatrix<float> uniform_rows(const RowCase& c, std::uint64_t seed, float lo = -1,
                                      float hi = 1) {
  HostMatrix<float> values(c.rows, c.cols);
  fill_uniform(values, seed, lo, hi);
  return values;
}

/// Whether a matrix is `expected`, each element within its bound, and nothing around it changed.
inline Outcome rows_outcome(const Guarded<float>& before, const Guarded<float>& after,
                            const HostMatrix<double>& expected, const HostMatrix<double>& bound,
                            const std::string& name, const std::string& text,
                            const std::function<std::string()>& probe = {}) {
  CompareOptions options{.name = name, .shape = text, .is_vector = false, .pattern = {}};
  options.probe = probe;
  return first_failure({compare(after.cview(), expected, bound, options),
                        only_inside_changed(before, after, name, text)});
}

inline bool same_bits(const Guarded<float>& a, const Guarded<float>& b) {
  return std::ranges::equal(a.memory(), b.memory(),
                            [](float x, float y) { return bits_of(x) == bits_of(y); });
}

/// The first failure of `check(case)`.
template <class Case, class Check>
Outcome for_each_case(const std::vector<Case>& cases, const Check& check) {
  for (const Case& each : cases) {
    Outcome outcome = check(each);
    if (!outcome.ok) return outcome;
  }
  return {};
}

}  // namespace tut::ch08
