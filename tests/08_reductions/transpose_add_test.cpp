#include "08_reductions/transpose_add.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch08 {
namespace {

Outcome transpose_add_outcome(int rows, int cols, std::int64_t gap,
                              const HostMatrix<float>& a_values, const HostMatrix<float>& b_values,
                              bool in_place = false) {
  const RowCase of_a{rows, cols, gap, 64}, of_out{cols, rows, 2 * gap, 64};
  Guarded<float> a = row_image(of_a, a_values), b = row_image(of_out, b_values),
                 out = in_place ? b : row_image(of_out);
  const Guarded<float> a_before = a, b_before = b, out_before = out;
  const std::string text = "A " + of_a.text();
  // 4 floats divide whatever the contract has.
  for (Guarded<float>* matrix : {&a, &b, &out}) matrix->set_placement({4, 4});
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, auto from, auto add, auto to) {
        transpose_add(from, in_place ? to : add, to, stream);
      },
      a, b, out);
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(cols, rows, [&](int r, int c) {
    return static_cast<double>(a_values(c, r) + b_values(r, c));  // one rounding, to float
  });
  const auto exact = make_matrix<double>(cols, rows, [](int, int) { return 0.0; });
  return first_failure({rows_outcome(out_before, out, expected, exact, "out", text),
                        nothing_changed(a_before, a, "a", text),
                        nothing_changed(b_before, b, "b", text)});
}

Outcome random_outcome(int rows, int cols, std::int64_t gap, bool in_place = false) {
  HostMatrix<float> a(rows, cols), b(cols, rows);
  fill_uniform(a, 1);
  fill_uniform(b, 2);
  return transpose_add_outcome(rows, cols, gap, a, b, in_place);
}

// Rows of one of the matrices lie so far apart, if there is the memory.
Outcome far_outcome(int rows, int cols, char far, std::int64_t far_stride) {
  const auto matrix = [&](char name, int count, int length) {
    return SparseMatrix<float>(count, length, far == name ? far_stride : length);
  };
  SparseMatrix<float> a = matrix('a', rows, cols), b = matrix('b', cols, rows),
                      out = matrix('o', cols, rows);
  if (!a.is_there() || !b.is_there() || !out.is_there()) return {};
  HostMatrix<float> a_values(rows, cols), b_values(cols, rows);
  fill_uniform(a_values, 3);
  fill_uniform(b_values, 4);
  a.upload(a_values);
  b.upload(b_values);
  const std::string text = std::string("rows of ") + (far == 'o' ? "out" : std::string(1, far)) +
                           " " + far_text(far_stride);
  Outcome outcome = run_far(
      text, [&](cudaStream_t stream) { transpose_add(a.cview(), b.cview(), out.view(), stream); });
  if (!outcome.ok) return outcome;
  const auto expected = make_matrix<double>(
      cols, rows, [&](int r, int c) { return double{a_values(c, r) + b_values(r, c)}; });
  const auto exact = make_matrix<double>(cols, rows, [](int, int) { return 0.0; });
  return compare(out.download().cview(), expected, exact,
                 {.name = "out", .shape = text, .stride = out.cview().stride});
}

}  // namespace

TEST_CASE("transpose_add of any matrices of whole float4") {
  for (const int rows : {132, 4, 12, 16, 20, 124, 128, 268}) {
    for (const int cols : {36, 4, 28, 32, 148}) {
      expect(random_outcome(rows, cols, 0));
      expect(random_outcome(rows, cols, 4));
    }
  }
}

TEST_CASE("transpose_add of many rows, and of many columns") {
  expect(random_outcome(40004, 4, 0));
  expect(random_outcome(8, 40004, 0));
}

TEST_CASE("transpose_add of rows that lie far apart") {
  for (const char far : {'a', 'b', 'o'}) {
    // More rows than a block takes, of each matrix: the last of them begin beyond 32 bits.
    expect(far_outcome(132, 36, far, far == 'a' ? kFarRowStride / 4 + 2 : kFarRowStride));
    expect(far_outcome(4, 4, far, kFarStride));
  }
}

TEST_CASE("transpose_add on top of b") {
  expect(random_outcome(132, 36, 4, true));
  expect(random_outcome(260, 64, 0, true));
}

TEST_CASE("every element of a lands where it belongs") {
  for (const int place : {0, 1, 35, 36, 37, 4 * 36 + 5, 131 * 36 + 35}) {
    HostMatrix<float> a(132, 36), b(36, 132);
    a.fill(0.0f);
    b.fill(0.0f);
    a.data()[place] = 2.0f;
    expect(transpose_add_outcome(132, 36, 0, a, b));
  }
}

TEST_CASE("transpose_add of as many rows as there may be, and of as many columns") {
  constexpr std::size_t kMost = 4 * std::size_t{kLongSize};
  const LongBuffer<float> some(kMost), other(kMost);
  for (const bool rows_grow : {true, false}) {
    // n rows of four, or n columns.
    const auto shape = [=](int n) {
      const int whole = (n + 3) / 4 * 4;
      return rows_grow ? std::pair{whole, 4} : std::pair{4, whole};
    };
    expect(grid_reach_outcome(
        {[&](cudaStream_t stream, int n) {
           const auto [rows, cols] = shape(n);
           transpose_add({some.data(), rows, cols, cols}, {some.data(), cols, rows, rows},
                         {other.data(), cols, rows, rows}, stream);
         },
         rows_grow ? "rows of a" : "columns of a"},
        [&](int n) {
          const auto [rows, cols] = shape(n);
          return random_outcome(rows, cols, 0);
        },
        40004, MarkedParts("out", other.data(), kMost)));
  }
}

TEST_CASE("transpose_add of more elements than 32 bits count") {
  constexpr int kSide = 130'000;
  constexpr std::size_t kElements = std::size_t{kSide} * kSide;
  const LongBuffer<float> inputs(kElements), out(kElements);
  const auto call = [&](cudaStream_t stream, int n) {
    const int rows = (n + 3) / 4 * 4;
    transpose_add({inputs.data(), rows, kSide, kSide}, {inputs.data(), kSide, rows, rows},
                  {out.data(), kSide, rows, rows}, stream);
  };
  MarkedParts last;
  last.add("the last row of out, of 130000x130000,", out.data() + (kElements - kSide), kSide);
  expect(grid_reach_outcome(
      {call, "rows of a"}, [](int) { return Outcome{}; }, kSide, last, kSide));
}

TEST_CASE("transpose_add refuses shapes that do not fit") {
  DeviceMatrix<float> memory(3, 512);
  // Each size, 8 or 12, four too small and four too large, and each stride below its row.
  for (std::size_t wrong = 0; wrong < 9; ++wrong) {
    for (const int by : {-4, 4}) {
      std::array<MatrixView<float>, 3> m = {{{memory.view().data, 8, 12, 20},
                                             {&memory.view()(1, 0), 12, 8, 20},
                                             {&memory.view()(2, 0), 12, 8, 20}}};
      const std::size_t which = wrong / 3;
      MatrixView<float>& view = m[which];
      if (wrong % 3 == 0) view.rows += by;
      if (wrong % 3 == 1) view.cols += by;
      if (wrong % 3 == 2) view.stride = view.cols - 4;
      INFO(std::array<std::string, 3>{"a", "b", "out"}[which], " of ", view.rows, "x", view.cols,
           ", stride ", view.stride, ", beside 8x12 and 12x8");
      CHECK_THROWS_AS(transpose_add(m[0], m[1], m[2]), std::invalid_argument);
    }
  }
  const auto of = [&](int rows, int cols) {
    return MatrixView<float>{memory.view().data, rows, cols, 20};
  };
  CHECK_THROWS_AS(transpose_add(of(0, 12), of(12, 0), of(12, 0)), std::invalid_argument);
  CHECK_THROWS_AS(transpose_add(of(8, 0), of(0, 8), of(0, 8)), std::invalid_argument);
}

TEST_CASE("transpose_add refuses sizes, strides and places of no whole float4") {
  const DeviceBuffer<float> memory(3 * 128);
  struct Refused {
    const char* what;
    int rows, cols;                            // of a
    std::int64_t a_wider, b_wider, out_wider;  // strides beyond the columns
    std::size_t a_at, b_at, out_at;            // where the matrices begin
  };
  for (const Refused& r : {Refused{"6 rows", 6, 4, 0, 2, 2, 0, 0, 0},
                           {"6 columns", 4, 6, 2, 0, 0, 0, 0, 0},
                           {"a of stride 5", 8, 4, 1, 0, 0, 0, 0, 0},
                           {"b of stride 10", 8, 4, 0, 2, 0, 0, 0, 0},
                           {"out of stride 11", 8, 4, 0, 0, 3, 0, 0, 0},
                           {"a that begins behind 4 bytes", 8, 4, 0, 0, 0, 1, 0, 0},
                           {"b that begins behind 8 bytes", 8, 4, 0, 0, 0, 0, 2, 0},
                           {"out that begins behind 12 bytes", 8, 4, 0, 0, 0, 0, 0, 3}}) {
    INFO(r.what);
    const MatrixView<float> a{memory.data() + r.a_at, r.rows, r.cols, r.cols + r.a_wider},
        b{memory.data() + 128 + r.b_at, r.cols, r.rows, r.rows + r.b_wider},
        out{memory.data() + 256 + r.out_at, r.cols, r.rows, r.rows + r.out_wider};
    CHECK_THROWS_AS(transpose_add(a, b, out), std::invalid_argument);
  }
}

TEST_CASE("budget") {
  expect_budget("transpose_add", 12.0 * 256 * 288, [] { return random_outcome(256, 288, 0); });
  for (const auto& [rows, cols] : {std::pair{32, 288}, {256, 32}}) {
    expect_cost(12.0 * rows * cols,
                [rows = rows, cols = cols] { return random_outcome(rows, cols, 0); });
  }
}

}  // namespace tut::ch08
