#include "08_reductions/transpose_add.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"

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
      text,
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
    const auto rows = [&](char name, int count, int cols) {
      return SparseMatrix<float>(count, cols, far == name ? kFarStride : cols);
    };
    SparseMatrix<float> a = rows('a', 8, 12), b = rows('b', 12, 8), out = rows('o', 12, 8);
    if (!a.is_there() || !b.is_there() || !out.is_there()) continue;
    HostMatrix<float> a_values(8, 12), b_values(12, 8);
    fill_uniform(a_values, 3);
    fill_uniform(b_values, 4);
    a.upload(a_values);
    b.upload(b_values);
    const std::string text = std::string("rows of ") + (far == 'o' ? "out" : std::string(1, far)) +
                             " 2^30 elements apart";
    Outcome outcome = run_far(text, [&](cudaStream_t stream) {
      transpose_add(a.cview(), b.cview(), out.view(), stream);
    });
    const auto expected = make_matrix<double>(
        12, 8, [&](int r, int c) { return double{a_values(c, r) + b_values(r, c)}; });
    const auto exact = make_matrix<double>(12, 8, [](int, int) { return 0.0; });
    if (outcome.ok) {
      outcome = compare(out.download().cview(), expected, exact, {.name = "out", .shape = text});
    }
    expect(outcome);
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

TEST_CASE("transpose_add refuses what does not fit") {
  DeviceMatrix<float> a(8, 4), b(4, 8), c(8, 8), odd(6, 4), odd_out(4, 6);
  const DeviceBuffer<float> memory(64);
  const MatrixView<float> a_apart{memory.data() + 1, 8, 4, 4},
      out_apart{memory.data() + 1, 4, 8, 8};
  CHECK_THROWS_AS(transpose_add(a.cview(), c.cview(), b.view()), std::invalid_argument);
  CHECK_THROWS_AS(transpose_add(c.cview(), b.cview(), b.view()), std::invalid_argument);
  CHECK_THROWS_AS(transpose_add(a.cview(), b.cview(), a.view()), std::invalid_argument);
  // Rows of whole float4, but at an address between two of them: one of the three alone.
  CHECK_THROWS_AS(transpose_add(a_apart, b.cview(), b.view()), std::invalid_argument);
  CHECK_THROWS_AS(transpose_add(a.cview(), out_apart, b.view()), std::invalid_argument);
  CHECK_THROWS_AS(transpose_add(a.cview(), b.cview(), out_apart), std::invalid_argument);
  CHECK_THROWS_AS(transpose_add(odd.cview(), odd_out.cview(), odd_out.view()),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  expect_budget("transpose_add", 12.0 * 256 * 256, [] { return random_outcome(256, 256, 0); });
}

}  // namespace tut::ch08
