#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tut/device/tensor_cores.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/testing/matmul_test.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch09 {

/// Tensor cores add in FP32 and cut bits off where others round.
inline constexpr MatmulTolerance tensor_core_tolerance{.accumulation = 0x1p-23};

/// Whether the device has tensor cores for T; says what is skipped where it has not.
template <class T>
bool can_multiply(const char* what) {
  if (compute_capability() >= least_capability<T>) return true;
  MESSAGE(what << " in bfloat16: skipped, this device is below compute capability 8.0");
  return false;
}

template <class T>
using TensorMatmul = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<float>,
                              cudaStream_t);

/// Sums of small integers are exact; a C narrower than float takes one rounding.
template <class U>
inline constexpr MatmulTolerance exact_sums{
    0, 0, sizeof(U) < sizeof(float) ? Precision<U>::rounding : 0, 0};

/// A, B and C in turn begin at no multiple of 16 bytes, though their rows lie one apart.
template <class T, class U = float>
Outcome shifted_outcome(const MatmulRun<T, U>& run) {
  constexpr int M = 64, N = 80, K = 48;
  for (const char shifted : {'A', 'B', 'C'}) {
    const auto guard = [&](char name) { return std::size_t{4096} + (name == shifted ? 1 : 0); };
    detail::MatmulImages<T, U> images{Guarded<T>(M, K, K, guard('A')),
                                      Guarded<T>(K, N, N, guard('B')),
                                      Guarded<U>(M, N, N, guard('C'))};
    HostMatrix<T> a(M, K), b(K, N);
    fill_small_integers(a, 51, 4);
    fill_small_integers(b, 52, 4);
    images.a.set(a);
    images.b.set(b);
    const std::string text =
        shape_text({M, N, K}) + ", " + shifted + " begins an element behind a multiple of 16 bytes";
    Outcome outcome = detail::run_and_judge<T, U>(run, std::move(images), exact_sums<U>, text);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Infinities and NaN in A and B, beside zeros too, reach what they are factors of, and no more.
template <class T, class U = float>
Outcome special_values_outcome(const MatmulRun<T, U>& run) {
  constexpr int M = 37, N = 53, K = 37;
  constexpr float INF = std::numeric_limits<float>::infinity(),
                  NOT = std::numeric_limits<float>::quiet_NaN();
  HostMatrix<T> a(M, K), b(K, N);
  fill_small_integers(a, 53, 3);
  fill_small_integers(b, 54, 3);
  for (int k = 0; k < K; ++k) a(5, k) = b(k, 6) = from_float<T>(0);
  // A whole tile of each is zeros, and meets an infinity all the same.
  for (int i = 16; i < 32; ++i)
    for (int j = 16; j < 32; ++j) a(i, j) = b(i, j) = from_float<T>(0);
  b(20, 33) = a(3, 20) = from_float<T>(INF);
  a(M - 1, K - 1) = b(K - 1, 4) = from_float<T>(INF);
  a(2, 3) = from_float<T>(NOT);
  a(7, 11) = from_float<T>(0);  // 0 times infinity is NaN
  b(11, N - 1) = from_float<T>(-INF);
  detail::MatmulImages<T, U> images{Guarded<T>(M, K, K + 3, 4096), Guarded<T>(K, N, N + 5, 4096),
                                    Guarded<U>(M, N, N + 1, 4096)};
  images.a.set(a);
  images.b.set(b);
  const std::string text = "infinities in A(" + std::to_string(M - 1) + ", " +
                           std::to_string(K - 1) + "), A(3, 20), B(20, 33) and B(11, " +
                           std::to_string(N - 1) + "), B(" + std::to_string(K - 1) +
                           ", 4), NaN in A(2, 3)";
  return detail::run_and_judge<T, U>(run, std::move(images), exact_sums<U>, text);
}

/// Of rows so far apart the 64th begins beyond what an int can count, the 128th beyond 32 bits: the
/// tiles of blocks and of warps begin there.
constexpr std::int64_t kFarTileStride = (std::int64_t{1} << 25) + 64;

/// `call(stream, a, b, c)` computes `expected` of `a` and `b`, and of the output, which holds
/// `before`, while the rows of one of the three matrices lie `far_stride` elements apart. Passes
/// where there is no such memory.
template <class U, class T, class Call>
Outcome far_rows_of(const HostMatrix<T>& a, const HostMatrix<T>& b,
                    const HostMatrix<double>& expected, const Call& call,
                    const U& before = unwritten_value<U>(), std::int64_t far_stride = kFarStride) {
  const int m = expected.rows(), n = expected.cols();
  for (const char far : {'A', 'B', 'C'}) {
    const auto stride = [&](char name, int cols) { return name == far ? far_stride : cols; };
    SparseMatrix<T> from_a(a.rows(), a.cols(), stride('A', a.cols()));
    SparseMatrix<T> from_b(b.rows(), b.cols(), stride('B', b.cols()));
    SparseMatrix<U> to(m, n, stride('C', n));
    if (!from_a.is_there() || !from_b.is_there() || !to.is_there()) continue;
    from_a.upload(a);
    from_b.upload(b);
    to.upload(make_matrix<U>(m, n, [&](int, int) { return before; }));
    const std::string text = std::to_string(m) + " rows of " + std::to_string(n) + "; those of " +
                             (far == 'C'   ? "the output"
                              : far == 'A' ? "the first factor"
                                           : "the second factor") +
                             " lie " + far_text(far_stride);
    Outcome outcome = run_far(text, [&](cudaStream_t stream) {
      call(stream, from_a.cview(), from_b.cview(), to.view());
    });
    if (!outcome.ok) return outcome;
    const auto exact = make_matrix<double>(m, n, [](int, int) { return 0.0; });
    outcome =
        compare(to.download().cview(), expected, exact,
                {.name = "the output", .shape = text, .stride = to.cview().stride, .pattern = {}});
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Whether B holds the product's second factor as (K, N), or turned, as (N, K).
enum class SecondFactor { as_it_is, transposed };

/// The same of whole tiles, in several blocks each way. `expected_of(product)`: what `call` makes
/// of an element of the product.
template <class U, class T, class ExpectedOf, class Call>
Outcome far_tiles_of(SecondFactor second, const ExpectedOf& expected_of, const Call& call,
                     const U& before = unwritten_value<U>()) {
  const bool transposed = second == SecondFactor::transposed;
  // B has as many rows as A, so that its last are as far away.
  const int m = 192, n = transposed ? m : 64, k = transposed ? 32 : m;
  HostMatrix<T> a(m, k), b(transposed ? n : k, transposed ? k : n);
  fill_small_integers(a, 55, 2);
  fill_small_integers(b, 56, 2);
  const auto factor = make_matrix<double>(
      k, n, [&](int r, int c) { return to_double(transposed ? b(c, r) : b(r, c)); });
  const HostMatrix<double> product = matmul_reference(to_double_matrix(a.cview()), factor).product;
  const auto expected =
      make_matrix<double>(m, n, [&](int r, int c) { return expected_of(product(r, c)); });
  return far_rows_of<U>(a, b, expected, call, before, kFarTileStride);
}

/// Products of a column and a row that `start(stream, m, n, a, b, c)` has to take, all dense: C has
/// 10^9 columns, as many rows as there may be, or more elements than an int counts. They are
/// recorded, and the first and the last blocks run (grid_reach_outcome). `values` judges a longer C
/// than `tried`, of a single row or column, where a grid has stopped growing.
template <class T, class U, class Start>
Outcome tensor_reach_outcome(const Start& start,
                             const std::function<Outcome(const MatmulShape&)>& values,
                             int tried = 5000) {
  constexpr int MOST_ROWS = 65535 * 8, COLS = 35'000, ROWS = 70'000;
  const LongBuffer<T> a, b;
  const LongBuffer<U> c(std::size_t{COLS} * ROWS);
  const auto multiply = [&](cudaStream_t stream, int m, int n) {
    start(stream, m, n, a.data(), b.data(), c.data());
  };
  const auto wide = [&](cudaStream_t stream, int n) { multiply(stream, 1, n); };
  const auto high = [&](cudaStream_t stream, int m) { multiply(stream, m, 1); };
  // Half of its elements are as many as an int can count.
  const auto large = [&](cudaStream_t stream, int half) {
    multiply(stream, ceil_div(half, COLS / 2), COLS);
  };
  Outcome outcome = grid_reach_outcome(
      {wide, "columns of C"},
      [&](int n) {
        return values({1, n, 2});
      },
      tried, MarkedParts("C", c.data(), kLongSize));
  if (!outcome.ok) return outcome;
  outcome = grid_reach_outcome(
      {high, "rows of C"},
      [&](int m) {
        return values({m, 1, 2});
      },
      tried, MarkedParts("C", c.data(), MOST_ROWS), MOST_ROWS);
  if (!outcome.ok) return outcome;
  return grid_reach_outcome(
      {large, "times 2 elements of C"}, [](int) { return Outcome{}; }, tried,
      MarkedParts("C", c.data(), std::size_t{COLS} * ROWS), COLS / 2 * ROWS);
}

/// One product of dense matrices.
template <class T, class U = float>
Outcome dense_outcome(const MatmulRun<T, U>& run, const MatmulShape& shape) {
  return detail::run_case<T, U>(run, shape, MatmulInputs::dense_random,
                                {.tolerance = tensor_core_tolerance});
}

/// Shapes of more tiles, and of more steps of k, than a loop that stops early gets to.
template <class T, class U = float>
Outcome long_shapes_outcome(const MatmulRun<T, U>& run) {
  for (const MatmulShape& shape : {MatmulShape{17, 5000, 3}, {5000, 17, 2}, {3, 5, 4200}}) {
    Outcome outcome = dense_outcome(run, shape);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// A matmul on device memory, of one launch.
template <class T>
MatmulRun<T, float> device_run(TensorMatmul<T> function) {
  return [function](Guarded<T>& a, Guarded<T>& b, Guarded<float>& c) {
    run_on_images(
        {.most_launches = 1},
        [&](cudaStream_t stream, MatrixView<const T> from_a, MatrixView<const T> from_b,
            MatrixView<float> to) { function(from_a, from_b, to, stream); },
        a, b, c);
  };
}

/// The whole battery twice: rows of any length, which no vector and no fragment fits, and rows a
/// multiple of 16 bytes apart, so that only the tiles at the edge do not fit. Then rows that fit,
/// at addresses that do not, and whole tiles that are far apart.
template <class T>
void test_tensor_matmul(const char* name, TensorMatmul<T> function,
                        const std::vector<MatmulShape>& shapes) {
  if (!can_multiply<T>(name)) return;
  for (const int multiple : {1, 8}) {
    expect(matmul_outcome<T, float>(
        function,
        {.shapes = shapes, .tolerance = tensor_core_tolerance, .stride_multiple = multiple},
        {.most_launches = 1}));
  }
  expect(long_shapes_outcome<T>(device_run(function)));
  expect(shifted_outcome<T>(device_run(function)));
  expect(far_tiles_of<float, T>(
      SecondFactor::as_it_is, [](double product) { return product; },
      [&](cudaStream_t stream, MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
        function(a, b, c, stream);
      }));
}

/// tensor_reach_outcome of a matmul.
template <class T>
Outcome matmul_reach_outcome(TensorMatmul<T> function) {
  return tensor_reach_outcome<T, float>(
      [&](cudaStream_t stream, int m, int n, const T* a, const T* b, float* c) {
        function({a, m, 1, 1}, {b, 1, n, n}, {c, m, n, n}, stream);
      },
      [&](const MatmulShape& shape) { return dense_outcome(device_run(function), shape); });
}

}  // namespace tut::ch09
