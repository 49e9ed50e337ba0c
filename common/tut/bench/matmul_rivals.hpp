#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tut/bench/bench_step.hpp"
#include "tut/bench/counting.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/random.hpp"
#include "tut/testing/matmul_battery.hpp"

namespace tut {

/// How many copies of inputs of `bytes`, used in turn, are needed so that none is still in the L2
/// cache when it is used again: together they are more than twice the cache. At most 1024, so
/// inputs below a few KiB stay in the cache of a large GPU. One copy where memory traffic is
/// counted, as the counts model no cache.
inline int rotation_count(std::size_t bytes) {
  if (can_count()) return 1;
  int device = 0, cache = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
  const auto twice = 2 * static_cast<std::int64_t>(std::max(cache, 0));
  const auto size = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes));
  return static_cast<int>(std::min<std::int64_t>(twice / size + 1, 1024));
}

/// 2MNK FLOPs; A and B read once, C written once.
template <class T, class U>
BenchCost matmul_cost(const MatmulShape& s) {
  const double m = s.m, n = s.n, k = s.k;
  return {.flops = 2 * m * n * k, .bytes = sizeof(T) * (m * k + k * n) + sizeof(U) * m * n};
}

/// Inputs of a matmul, uniform in [-1, 1], in as many copies as the rotation takes; C is theirs
/// too.
template <class T, class U>
class MatmulRotation {
 public:
  explicit MatmulRotation(const MatmulShape& s) {
    HostMatrix<T> a(s.m, s.k), b(s.k, s.n);
    fill_uniform(a, a_seed);
    fill_uniform(b, b_seed);
    const auto bytes = static_cast<std::size_t>(matmul_cost<T, U>(s).bytes);
    for (int i = 0; i < rotation_count(bytes); ++i) {
      a_.emplace_back(a);
      b_.emplace_back(b);
      c_.emplace_back(s.m, s.n);
    }
  }
  MatrixView<const T> a(std::int64_t index) const { return a_[pick(index)].cview(); }
  MatrixView<const T> b(std::int64_t index) const { return b_[pick(index)].cview(); }
  MatrixView<U> c(std::int64_t index) { return c_[pick(index)].view(); }

  /// One row of A (1, K) and one column of B (K, 1) in double, made again from their seeds.
  HostMatrix<double> row_of_a(int r) const {
    const int k = a_[0].cols();
    return make_matrix<double>(1, k, [&](int, int c) { return element(a_seed, r, c, k); });
  }
  HostMatrix<double> col_of_b(int c) const {
    const int n = b_[0].cols();
    return make_matrix<double>(b_[0].rows(), 1,
                               [&](int r, int) { return element(b_seed, r, c, n); });
  }

  /// The inputs of each shape that was asked for are kept: rivals share them, and their repetitions
  /// come in any order. Where that would take half of the device's memory, only the last are.
  static MatmulRotation& of(const MatmulShape& shape) {
    static std::vector<std::pair<MatmulShape, std::unique_ptr<MatmulRotation>>> kept;
    const auto known =
        std::ranges::find(kept, shape, [](const auto& entry) { return entry.first; });
    if (known != kept.end()) return *known->second;
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total));
    if (available < total / 2) kept.clear();
    kept.emplace_back(shape, std::make_unique<MatmulRotation>(shape));
    return *kept.back().second;
  }

 private:
  static constexpr std::uint64_t a_seed = 1, b_seed = 2;
  static double element(std::uint64_t seed, int r, int c, int cols) {
    const auto index = static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(cols) +
                       static_cast<std::uint64_t>(c);
    return to_double(from_float<T>(random_uniform(seed, index)));
  }
  std::size_t pick(std::int64_t index) const { return static_cast<std::size_t>(index) % a_.size(); }

  std::vector<DeviceMatrix<T>> a_, b_;
  std::vector<DeviceMatrix<U>> c_;
};

/// A row of a table of rivals.
template <class T, class U>
struct MatmulRival {
  std::string name;
  std::function<void(MatrixView<const T>, MatrixView<const T>, MatrixView<U>, cudaStream_t)> run;
  /// Wider than a test's: a benchmark asks whether the product was computed at all.
  MatmulTolerance tolerance = {.accumulation = 0x1p-22};
  /// No step of the lesson, but what it is measured against: see BenchStep.
  bool rival = false;
  /// BenchCost's, where it is not that of T.
  std::string arithmetic = {};
};

/// Runs the rival once on inputs 0 and compares a sample of C, its first, middle and last row at up
/// to 64 columns, with the product in double. Returns what is wrong, or "".
template <class T, class U>
std::string sample_error(const MatmulRival<T, U>& rival, const MatmulShape& s,
                         MatmulRotation<T, U>& inputs) {
  const MatrixView<U> c = inputs.c(0);
  check(cudaMemset(c.data, 0xFF, static_cast<std::size_t>(c.rows * c.stride) * sizeof(U)));
  rival.run(inputs.a(0), inputs.b(0), c, nullptr);
  check_launch();
  check(cudaDeviceSynchronize());
  const auto tolerance = detail::tolerance_for<T, U>(rival.tolerance, false);
  std::vector<U> row(static_cast<std::size_t>(s.n));
  for (const int r : {0, s.m / 2, s.m - 1}) {
    check(cudaMemcpy(row.data(), &c(r, 0), row.size() * sizeof(U), cudaMemcpyDeviceToHost));
    for (int col = 0; col < s.n; col += ceil_div(s.n, 64)) {
      const MatmulReference reference = matmul_reference(inputs.row_of_a(r), inputs.col_of_b(col));
      const double expected = reference.product(0, 0);
      const double got = to_double(row[static_cast<std::size_t>(col)]);
      if (std::abs(got - expected) <= matmul_bound(reference, tolerance)(0, 0)) continue;
      return "wrong result at row " + std::to_string(r) + ", column " + std::to_string(col) +
             ": expected " + std::to_string(expected) + ", got " + std::to_string(got);
    }
  }
  return "";
}

}  // namespace tut
