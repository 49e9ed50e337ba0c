#pragma once

#include <sys/mman.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "tut/testing/host_matmul_test.hpp"

/// What the tests of this chapter's and the next one's products share: matrices whose rows lie far
/// apart, and values that are infinite or no number.
namespace tut::ch01 {

/// A matrix on the host of which only the pages exist that are touched. Around it is so much of
/// this memory that offsets which were computed in 32 bits lead to other elements, not out of it.
class FarRows {
 public:
  /// Elements from one row to the next: more than 32 bits count. The 32 lower bits are 2^30 + 64,
  /// so that offsets in 32 bits go round from the third row on.
  static constexpr std::int64_t kStride = 5 * (std::int64_t{1} << 30) + 64;

  FarRows(int rows, int cols) : rows_(rows), cols_(cols) {
    if (has_failed()) return;
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) memory_ = static_cast<float*>(memory);
  }
  FarRows(const FarRows&) = delete;
  FarRows& operator=(const FarRows&) = delete;
  ~FarRows() {
    if (is_there()) munmap(memory_, bytes());
  }

  /// Where there is no such memory, or something has failed already, nothing else may be asked.
  bool is_there() const noexcept { return memory_ != nullptr; }
  MatrixView<float> view() const noexcept { return {memory_ + kBefore, rows_, cols_, kStride}; }

 private:
  static constexpr std::int64_t kBefore = std::int64_t{1} << 31;
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(kBefore + rows_ * kStride) * sizeof(float);
  }

  int rows_, cols_;
  float* memory_ = nullptr;
};

/// Copies between views of one shape.
inline void copy(MatrixView<const float> from, MatrixView<float> to) {
  for (int r = 0; r < from.rows; ++r) {
    for (int c = 0; c < from.cols; ++c) to(r, c) = from(r, c);
  }
}

/// Multiplies A (n, n) and B (n, n), with the rows of A, of B and of C far apart in turn.
/// `function` gets B transposed if `is_transposed`. Passes where there is no such memory.
inline Outcome square_far_rows_outcome(const HostMatmul<float, float>& function, int n,
                                       bool is_transposed) {
  HostMatrix<float> a(n, n), b(n, n), given_b(n, n);
  fill_small_integers(a, 1, 9);
  fill_small_integers(b, 2, 9);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) given_b(r, c) = is_transposed ? b(c, r) : b(r, c);
  }
  const auto expected =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
  const auto exact = make_matrix<double>(n, n, [](int, int) { return 0.0; });
  for (const char name : {'A', 'B', 'C'}) {
    const FarRows far(n, n);
    if (!far.is_there()) return {};
    HostMatrix<float> c(n, n);
    copy(name == 'A' ? a.cview() : name == 'B' ? given_b.cview() : c.cview(), far.view());
    const MatrixView<float> to = name == 'C' ? far.view() : c.view();
    function(name == 'A' ? far.view() : a.view(), name == 'B' ? far.view() : given_b.view(), to);
    const std::string text = std::string("rows of ") + name + " " +
                             std::to_string(FarRows::kStride) +
                             " elements apart: are offsets computed in 64 bits?";
    Outcome outcome = compare(to, expected, exact, {.name = "C", .shape = text, .pattern = {}});
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Rows far apart of matrices that are less than a tile or a block of 64, and of some that are
/// more: each may have loops of its own.
inline Outcome far_rows_outcome(const HostMatmul<float, float>& function,
                                bool is_transposed = false) {
  Outcome outcome = square_far_rows_outcome(function, 5, is_transposed);
  return outcome.ok ? square_far_rows_outcome(function, 67, is_transposed) : outcome;
}

/// Shapes of which one size is large, dense.
inline Outcome long_shapes_outcome(const HostMatmul<float, float>& function) {
  const MatmulRun<float, float> run = [&](auto& a, auto& b, auto& c) {
    function(a.cview(), b.cview(), c.view());
  };
  for (const MatmulShape& shape : {MatmulShape{3, 5, 16411}, {3, 16411, 5}, {16411, 3, 5}}) {
    Outcome outcome =
        detail::run_case<float, float>(run, shape, MatmulInputs::dense_random, {.shapes = {shape}});
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// A second call at the same addresses, on other values: nothing of the first may be left.
inline Outcome second_call_outcome(const HostMatmul<float, float>& function) {
  constexpr int N = 37;
  HostMatrix<float> a(N, N), b(N, N), c(N, N);
  const auto exact = make_matrix<double>(N, N, [](int, int) { return 0.0; });
  for (const std::uint64_t call : {1, 2, 3}) {
    if (call != 2) fill_small_integers(a, call, 9);
    if (call != 3) fill_small_integers(b, call + 3, 9);
    function(a.cview(), b.cview(), c.view());
    const auto expected =
        matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
    const std::string text = "call " + std::to_string(call) + " with matrices at these addresses";
    Outcome outcome = compare(c.cview(), expected, exact, {.name = "C", .shape = text});
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// A and B begin at one address, with strides of their own or with other sizes: they are two
/// matrices all the same. `function` gets B transposed if `is_transposed`.
inline Outcome same_memory_outcome(const HostMatmul<float, float>& function,
                                   bool is_transposed = false) {
  constexpr int kLongest = 11;
  HostMatrix<float> numbers(kLongest, kLongest);
  fill_small_integers(numbers, 1, 9);
  const float* const begin = numbers.view().data;
  const auto outcome_of = [&](const MatmulShape& shape, int a_stride, int b_stride) {
    const auto [m, n, k] = shape;
    const MatrixView<const float> a{begin, m, k, a_stride};
    const MatrixView<const float> b = is_transposed
                                          ? MatrixView<const float>{begin, n, k, b_stride}
                                          : MatrixView<const float>{begin, k, n, b_stride};
    const auto meant_b = make_matrix<float>(
        k, n, [&](int r, int col) { return is_transposed ? b(col, r) : b(r, col); });
    HostMatrix<float> c(m, n);
    function(a, b, c.view());
    const auto expected =
        matmul_reference(to_double_matrix(a), to_double_matrix(meant_b.cview())).product;
    const auto exact = make_matrix<double>(m, n, [](int, int) { return 0.0; });
    return compare(c.cview(), expected, exact,
                   {.name = "C",
                    .shape = shape_text(shape) + ", A and B begin at one address, with strides " +
                             std::to_string(a_stride) + " and " + std::to_string(b_stride)});
  };
  Outcome outcome = outcome_of({5, 5, 5}, 7, 11);
  if (outcome.ok) outcome = outcome_of({3, 8, 5}, 11, 11);
  if (outcome.ok) outcome = outcome_of({8, 3, 5}, 11, 11);
  return outcome;
}

/// Matrices without a row or a column, or with less than none, must be refused. `function` gets B
/// transposed if `is_transposed`.
inline Outcome empty_matrices_outcome(const HostMatmul<float, float>& function,
                                      bool is_transposed = false) {
  float a[12] = {}, b[12] = {}, c[12] = {};
  for (const auto& [m, n, k] :
       {MatmulShape{0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {-1, 2, 3}, {2, -1, 3}, {2, 3, -1}}) {
    const MatrixView<float> b_view =
        is_transposed ? MatrixView<float>{b, n, k, 4} : MatrixView<float>{b, k, n, 4};
    try {
      function({a, m, k, 4}, b_view, {c, m, n, 4});
    } catch (const std::invalid_argument&) {
      continue;
    }
    return failure("values", "expected a std::invalid_argument for " + shape_text({m, n, k}) +
                                 ", of which two matrices are empty; nothing was thrown");
  }
  return {};
}

/// Strides that are below a row must be refused, also of a single row. `function` gets B transposed
/// if `is_transposed`.
inline Outcome short_strides_outcome(const HostMatmul<float, float>& function,
                                     bool is_transposed = false) {
  float a[12] = {}, b[12] = {}, c[12] = {};
  for (const int rows : {2, 1}) {
    for (const char name : {'A', 'B', 'C'}) {
      const auto stride = [&](char of, int cols) { return name == of ? cols - 1 : cols; };
      const MatrixView<float> b_view = is_transposed ? MatrixView<float>{b, 3, 4, stride('B', 4)}
                                                     : MatrixView<float>{b, 4, 3, stride('B', 3)};
      try {
        function({a, rows, 4, stride('A', 4)}, b_view, {c, rows, 3, stride('C', 3)});
      } catch (const std::invalid_argument&) {
        continue;
      }
      return failure("values",
                     "expected a std::invalid_argument for a stride that is below the row, of " +
                         std::string(1, name) + "; nothing was thrown");
    }
  }
  return {};
}

/// Each element of C has to be written once, when it is done. `function` gets B transposed if
/// `is_transposed`.
inline Outcome written_once_outcome(const HostMatmul<float, float>& function,
                                    const MatmulShape& shape, bool is_transposed) {
  const int m = shape.m, n = shape.n, k = shape.k;
  WatchedOutput c(m, n);
  const auto floats = [](int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  };
  const MatrixView<const float> a{c.add_input(floats(m, k)), m, k, k};
  const float* const b = c.add_input(floats(n, k));
  c.watch([&] {
    function(
        a,
        is_transposed ? MatrixView<const float>{b, n, k, k} : MatrixView<const float>{b, k, n, n},
        c.view());
  });
  if (c.was_shared()) return {};  // threads take a row from each other, and it is counted anew
  const std::string text =
      ", again after reading A, B or others of C; expected once, when it is done (C is " +
      std::to_string(m) + "x" + std::to_string(n) + ", K is " + std::to_string(k) + ")";
  const int of_a_row = c.most_writes_of_a_row();
  if (n == 1 && of_a_row > 1) {
    return failure("values",
                   "an element of C was written " + std::to_string(of_a_row) + " times" + text);
  }
  if (c.writes() <= std::int64_t{m} * n) return {};
  return failure("values", "an element of C was written more than once: C was, " +
                               std::to_string(c.writes()) + " times or more" + text);
}

/// The same of a C (64, 1), and of some with more columns, whose elements may be done several at
/// once.
inline Outcome written_once_outcome(const HostMatmul<float, float>& function,
                                    bool is_transposed = false) {
  for (const MatmulShape& shape :
       {MatmulShape{64, 1, 5000}, MatmulShape{4, 4, 16411}, MatmulShape{8, 8, 16411}}) {
    Outcome outcome = written_once_outcome(function, shape, is_transposed);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// (5, 9) and (9, 6) that hold infinities, a NaN and huge values beside zeros.
struct SpecialMatrices {
  HostMatrix<float> a, b;
};
inline SpecialMatrices special_matrices() {
  constexpr int M = 5, N = 6, K = 9;
  constexpr float INF = std::numeric_limits<float>::infinity();
  HostMatrix<float> a(M, K), b(K, N);
  fill_small_integers(a, 1, 3);
  fill_small_integers(b, 2, 3);
  for (int k = 0; k < K; k += 3) a(0, k) = 0.0f;  // zeros that meet what is infinite
  for (int k = 0; k < K; ++k) a(2, k) = 0.0f;     // whoever skips them by the group
  a(1, 2) = INF;
  a(3, 8) = std::numeric_limits<float>::quiet_NaN();
  a(4, 4) = 1e30f;
  b(0, 1) = -INF;
  b(8, 4) = INF;
  b(6, 3) = std::numeric_limits<float>::quiet_NaN();
  b(4, 5) = 1e-30f;
  return {std::move(a), std::move(b)};
}

/// Products of factors around 2^-70 are numbers that float holds, if only as subnormal ones.
inline Outcome tiny_values_outcome(const HostMatmul<float, float>& function) {
  constexpr int M = 5, N = 6, K = 9;
  constexpr float TINY = 0x1p-70F;
  HostMatrix<float> a(M, K), b(K, N), c(M, N);
  for (HostMatrix<float>* matrix : {&a, &b}) {
    fill_small_integers(*matrix, 1, 9);
    for (float& value : matrix->span()) value *= TINY;
  }
  function(a.cview(), b.cview(), c.view());
  const auto expected =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
  const auto exact = make_matrix<double>(M, N, [](int, int) { return 0.0; });
  return compare(c.cview(), expected, exact,
                 {.name = "C", .shape = "inputs around 2^-70, whose products are subnormal"});
}

/// Ones, and one quarter of A or of B far larger: elements of C that have nothing to do with it are
/// as exact as ever. Sums and differences of quarters, as in Strassen's algorithm, are not.
inline Outcome large_quarter_outcome(const HostMatmul<float, float>& function) {
  constexpr int N = 128;
  constexpr float LARGE = 1e8F;
  for (const bool in_a : {true, false}) {
    HostMatrix<float> a(N, N), b(N, N), c(N, N);
    for (int r = 0; r < N; ++r) {
      for (int col = 0; col < N; ++col) {
        const float value = r >= N / 2 && col >= N / 2 ? LARGE : 1.0F;
        a(r, col) = in_a ? value : 1.0F;
        b(r, col) = in_a ? 1.0F : value;
      }
    }
    function(a.cview(), b.cview(), c.view());
    const MatmulReference reference =
        matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
    Outcome outcome =
        compare(c.cview(), reference.product, matmul_bound(reference, {}),
                {.name = "C",
                 .shape = std::string("128x128 * 128x128, ones, but 1e8 in the last quarter of ") +
                          (in_a ? "A" : "B")});
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Of special_matrices an element of C is as IEEE 754 has it, and no other element is touched.
inline Outcome special_values_outcome(const HostMatmul<float, float>& function) {
  if (Outcome tiny = tiny_values_outcome(function); !tiny.ok) return tiny;
  if (Outcome quarter = large_quarter_outcome(function); !quarter.ok) return quarter;
  const auto [a, b] = special_matrices();
  HostMatrix<float> c(a.rows(), b.cols());
  function(a.cview(), b.cview(), c.view());
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  const auto bound = make_matrix<double>(
      c.rows(), c.cols(), [&](int i, int j) { return 1e-6 * reference.magnitude(i, j); });
  return compare(c.cview(), reference.product, bound,
                 {.name = "C", .shape = "inputs with infinities, NaN and zeros"});
}

}  // namespace tut::ch01
