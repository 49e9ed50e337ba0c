#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"

namespace tut::ch06 {

/// Lengths around blocks of 256 and warps, primes, 1.
inline const std::vector<int>& lengths() {
  static const std::vector<int> values = {256, 257, 255, 512, 513, 1009, 33, 31, 2, 1};
  return values;
}

/// More than grids of a few thousand blocks cover.
inline constexpr int kLong = 300'007;

/// Of an exercise whose contract has one launch.
inline constexpr CallRules kOneLaunch{.most_launches = 1};

/// The guard zones around a vector, in elements: zones of NaN; none, so that memory ends where the
/// vector does; zones that leave it at no multiple of 8 bytes.
inline constexpr std::size_t kApart = 1024, kTight = 0, kOdd = 1025;

/// The first failure of `check(length, guard)` over all lengths, with each of the guard zones:
/// after an illegal access all else fails too.
inline Outcome for_each_length(const std::function<Outcome(int, std::size_t)>& check,
                               const std::vector<std::size_t>& guards = {kApart, kTight, kOdd}) {
  for (const std::size_t guard : guards) {
    for (const int n : lengths()) {
      Outcome outcome = check(n, guard);
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

/// A vector in memory.
template <class T>
Guarded<T> vector_image(const std::vector<T>& values, std::size_t guard) {
  const auto size = static_cast<int>(values.size());
  Guarded<T> image(1, size, size, guard);
  std::ranges::copy(values, image.view().data);
  return image;
}

/// A vector that nothing has been written to.
template <class T>
Guarded<T> empty_image(int size, std::size_t guard) {
  return Guarded<T>(1, size, size, guard);
}

inline std::vector<float> random_values(int n, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(n));
  fill_uniform(values, seed);
  return values;
}

/// What is wrong with `out`, if anything: element i must be `expected(i)` to within `bound(i)`, and
/// what lies around it what it was. `probe`: CompareOptions::probe.
template <class T>
Outcome vector_is(
    const Guarded<T>& before, const Guarded<T>& out, const std::string& name,
    const std::string& text, const std::function<double(int)>& expected,
    const std::function<double(int)>& bound = [](int) { return 0.0; },
    const std::function<std::string()>& probe = {}) {
  const auto row = [&](const std::function<double(int)>& element) {
    return make_matrix<double>(1, out.cols(), [&](int, int c) { return element(c); });
  };
  CompareOptions options{.name = name, .shape = text, .is_vector = true, .pattern = {}};
  options.probe = probe;
  return first_failure({compare(out.cview(), row(expected), row(bound), options),
                        only_inside_changed(before, out, name, text, true)});
}

/// A matrix of (rows, cols) in memory: dense, and nothing around it; or with rows that begin at any
/// multiple of 4 bytes, and guard zones.
inline Guarded<float> matrix_image(const HostMatrix<float>& values, bool dense) {
  const int cols = values.cols();
  Guarded<float> image(values.rows(), cols, dense ? cols : cols + 3, dense ? kTight : kOdd);
  image.set(values);
  return image;
}

inline HostMatrix<float> random_rows(int rows, int cols, std::uint64_t seed) {
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, seed);
  return values;
}

/// What is no matrix: without rows, without columns, with rows that overlap, or a stride by which
/// they would, without memory.
inline std::vector<MatrixView<float>> no_matrices(float* data) {
  return {{data, 0, 3, 3}, {data, -1, 3, 3}, {data, 2, 0, 3},
          {data, 2, 3, 2}, {data, 1, 3, 2},  {nullptr, 2, 3, 3}};
}

/// "in 3x256, stride 259".
inline std::string matrix_text(const std::string& name, const Guarded<float>& image) {
  return name + " " + std::to_string(image.rows()) + "x" + std::to_string(image.cols()) +
         ", stride " + std::to_string(image.stride());
}

/// Runs `call(stream, m)` on matrices of random rows that lie far apart, if there is the memory:
/// more than the blocks of 32 take, the last of them beyond 32 bits, all at multiples of 16 bytes,
/// and not; and a few that lie farther apart than 32 bits count. `is_right(values, m, text)` then
/// looks at what the device holds.
template <class Call, class Check>
Outcome far_rows_outcome(const Call& call, const Check& is_right) {
  for (const std::int64_t stride : {kFarRowStride, kFarRowStride + 1, kFarStride}) {
    const int rows = stride == kFarStride ? 3 : 37;
    const HostMatrix<float> values = random_rows(rows, 40 + static_cast<int>(stride % 2), 8);
    SparseMatrix<float> m(rows, values.cols(), stride);
    if (!m.is_there()) return {};
    m.upload(values);
    const std::string text = "rows of " + std::to_string(values.cols()) + ", " + far_text(stride);
    Outcome outcome = run_far(text, [&](cudaStream_t stream) { call(stream, m.view()); });
    if (outcome.ok) outcome = is_right(values, m, text);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Rows with an infinity at either end, with both, with a NaN, with a NaN and an infinity, and rows
/// of numbers.
inline HostMatrix<float> unusual_rows(int rows, int cols) {
  HostMatrix<float> values = random_rows(rows, cols, 12);
  for (int r = 0; r < rows; ++r) {
    const float infinity = std::numeric_limits<float>::infinity();
    if (r % 8 == 1) values(r, 0) = infinity;
    if (r % 8 == 5) values(r, cols - 1) = -infinity;
    if (r % 8 == 2) values(r, 0) = infinity, values(r, cols - 1) = -infinity;
    if (r % 8 == 6) values(r, 0) = infinity, values(r, cols / 2) = std::nanf("");
    if (r % 4 == 3) values(r, cols / 2) = std::nanf("");
  }
  return values;
}

/// The allowed error of a float sum of `count` terms, whose absolute values come to `magnitude`.
inline double sum_bound(int count, double magnitude) {
  return (4.0 + 2.0 * std::sqrt(count)) * Precision<float>::rounding * magnitude;
}

}  // namespace tut::ch06
