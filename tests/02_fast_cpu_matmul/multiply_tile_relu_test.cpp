#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../01_naive_matmul/extreme_matrices.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/guarded.hpp"
#include "tut/trial/page_end.hpp"
#include "tut/trial/spoil_stack.hpp"

namespace tut::ch02 {
namespace {

struct Panels {
  std::vector<float> a, b, bias;
};

// Zero outside of rows x cols, as a packing leaves it; NaN after the bias.
Panels make_panels(const HostMatrix<float>& a, const HostMatrix<float>& b,
                   const HostMatrix<float>& bias) {
  Panels panels;
  for (int k = 0; k < a.cols(); ++k) {
    for (int i = 0; i < relu_tile_rows; ++i) panels.a.push_back(i < a.rows() ? a(i, k) : 0.0f);
    for (int j = 0; j < relu_tile_cols; ++j) panels.b.push_back(j < b.cols() ? b(k, j) : 0.0f);
  }
  panels.bias.assign(64, std::numeric_limits<float>::quiet_NaN());
  for (int j = 0; j < b.cols(); ++j) panels.bias[static_cast<std::size_t>(j)] = bias(0, j);
  return panels;
}

Outcome tile_outcome(int rows, int cols, int depth, bool integers) {
  HostMatrix<float> a(rows, depth), b(depth, cols), bias(1, cols);
  if (integers) {
    fill_small_integers(a, 1, 8);
    fill_small_integers(b, 2, 8);
    fill_small_integers(bias, 3, 50);
  } else {
    fill_uniform(a, 1);
    fill_uniform(b, 2);
    fill_uniform(bias, 3);
  }
  const Panels panels = make_panels(a, b, bias);
  Guarded<float> c(rows, cols, cols + 5, 1024);
  const Guarded<float> before = c;

  spoil_stack();
  multiply_tile_relu(depth, panels.a.data(), panels.b.data(), panels.bias.data(), c.view());

  const auto reference = matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  const auto product_bound = matmul_bound(reference, {});
  const auto expected = make_matrix<double>(rows, cols, [&](int i, int j) {
    return std::max(0.0, reference.product(i, j) + double{bias(0, j)});
  });
  const auto bound = make_matrix<double>(rows, cols, [&](int i, int j) {
    return integers ? 0.0 : product_bound(i, j) + 0x1p-23 * (1 + std::abs(expected(i, j)));
  });
  const std::string text = shape_text(c.cview()) + " of the tile, depth " + std::to_string(depth);
  Outcome values = compare(c.cview(), expected, bound, {.name = "C", .shape = text, .pattern = {}});
  if (!values.ok) return values;
  const std::string outside = c.change_outside(before, "C", false);
  return outside.empty() ? Outcome{} : failure("values", outside + " (" + text + ")");
}

// A tile that lies anywhere, of values that come out exactly: each element, compared with ==.
Outcome equal_outcome(const HostMatrix<float>& a, const HostMatrix<float>& b,
                      const HostMatrix<float>& bias, MatrixView<float> c, const std::string& text) {
  const Panels panels = make_panels(a, b, bias);
  multiply_tile_relu(a.cols(), panels.a.data(), panels.b.data(), panels.bias.data(), c);
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      double sum = bias(0, j);
      for (int k = 0; k < a.cols(); ++k) sum += double{a(i, k)} * b(k, j);
      const double expected = std::max(0.0, sum);
      if (c(i, j) == expected) continue;
      return failure("values", "C is wrong at row " + std::to_string(i) + ", column " +
                                   std::to_string(j) + ": got " + value_text(c(i, j)) +
                                   ", expected " + value_text(expected) + " (" + text + ")");
    }
  }
  return {};
}

HostMatrix<float> integers(int rows, int cols, std::uint64_t seed) {
  HostMatrix<float> matrix(rows, cols);
  fill_small_integers(matrix, seed, 8);
  return matrix;
}

// The panels, the bias and C end where their memory ends, or begin an element later than a multiple
// of 16 bytes.
Outcome anywhere_outcome(int rows, int cols, int depth, bool at_end) {
  const HostMatrix<float> a = integers(rows, depth, 1), b = integers(depth, cols, 2),
                          bias = integers(1, cols, 3);
  const Panels panels = make_panels(a, b, bias);
  const auto row_of = [&](const std::vector<float>& values, int size) {
    Guarded<float> row(1, size, size, at_end ? 0 : 129);
    std::copy_n(values.begin(), size, row.view().data);
    return row;
  };
  const Guarded<float> a_panel = row_of(panels.a, depth * relu_tile_rows),
                       b_panel = row_of(panels.b, depth * relu_tile_cols),
                       own_bias = row_of(panels.bias, cols);
  Guarded<float> c(rows, cols, cols, at_end ? 0 : 129);
  const std::string text =
      shape_text(c.view()) + " of the tile, depth " + std::to_string(depth) +
      (at_end ? ", in memory of just its size" : ", all of it begins at no multiple of 16 bytes");
  const auto exact = make_matrix<double>(rows, cols, [&](int i, int j) {
    double sum = bias(0, j);
    for (int k = 0; k < depth; ++k) sum += double{a(i, k)} * b(k, j);
    return std::max(0.0, sum);
  });
  const auto zero = make_matrix<double>(rows, cols, [](int, int) { return 0.0; });
  const CompareOptions comparison{.name = "C", .shape = text, .pattern = {}};
  if (!at_end) {
    const Guarded<float> before = c;
    multiply_tile_relu(depth, a_panel.cview().data, b_panel.cview().data, own_bias.cview().data,
                       c.view());
    const std::string outside = c.change_outside(before, "C", false);
    if (!outside.empty()) return failure("values", outside + " (" + text + ")");
    return compare(c.cview(), exact, zero, comparison);
  }
  const PageEndMatrix<float> a_end(a_panel.cview()), b_end(b_panel.cview()),
      bias_end(own_bias.cview());
  const PageEndRows<float> c_ends(c.cview());
  multiply_tile_relu(depth, a_end.cview().data, b_end.cview().data, bias_end.cview().data,
                     c_ends.view());
  const Outcome inside = outcome_of_call(text, [&] {
    c_ends.refuse_use_past_end("C");
    bias_end.refuse_use_past_end("the bias");
    a_end.refuse_use_past_end("the panel of A");
    b_end.refuse_use_past_end("the panel of B");
  });
  return inside.ok ? compare(c_ends.cview(), exact, zero, comparison) : inside;
}

// Each element of C has to be written once, when it is done.
Outcome written_once_outcome(int cols, int depth) {
  WatchedOutput c(relu_tile_rows, cols);
  const auto floats = [](int rows, int of_a_row) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(of_a_row);
  };
  const float* const a_panel = c.add_input(floats(depth, relu_tile_rows));
  const float* const b_panel = c.add_input(floats(depth, relu_tile_cols));
  const float* const bias = c.add_input(static_cast<std::size_t>(cols));
  c.watch([&] { multiply_tile_relu(depth, a_panel, b_panel, bias, c.view()); });
  const std::string text =
      ", again after reading the panels, the bias or others of C; expected once, when it is done "
      "(C is 6x" +
      std::to_string(cols) + ", depth " + std::to_string(depth) + ")";
  if (cols == 1 && c.most_writes_of_a_row() > 1) {
    return failure("values", "an element of C was written " +
                                 std::to_string(c.most_writes_of_a_row()) + " times" + text);
  }
  if (c.writes() > std::int64_t{relu_tile_rows} * cols) {
    return failure("values", "an element of C was written more than once: C was, " +
                                 std::to_string(c.writes()) + " times or more" + text);
  }
  return {};
}

}  // namespace

TEST_CASE("multiply_tile_relu computes max(0, A B + bias) on whole and ragged tiles") {
  for (const int rows : {6, 5, 1}) {
    for (const int cols : {16, 15, 7, 1}) {
      for (const int depth : {17, 2, 1, 256, 1031}) {
        expect(tile_outcome(rows, cols, depth, true));
        expect(tile_outcome(rows, cols, depth, false));
      }
    }
  }
  expect(tile_outcome(5, 15, 16411, true));
}

TEST_CASE("multiply_tile_relu of every part of the tile, wherever it lies") {
  Outcome outcome;
  const auto add = [&](int rows, int cols, int depth) {
    for (const bool at_end : {true, false}) {
      if (outcome.ok) outcome = anywhere_outcome(rows, cols, depth, at_end);
    }
  };
  for (int rows = 1; rows <= relu_tile_rows; ++rows) {
    for (int cols = 1; cols <= relu_tile_cols; ++cols) add(rows, cols, 7);
  }
  for (int depth = 1; depth <= 16; ++depth) add(5, 15, depth);
  expect(outcome);
}

TEST_CASE("multiply_tile_relu writes each element of C once") {
  // What it writes beside its tile, or holds no right values, other cases tell better.
  if (has_failed()) return;
  expect(written_once_outcome(1, 5000));
  // A whole tile may be written element by element, and parts of a depth are seen where there are
  // more of them than elements.
  expect(written_once_outcome(relu_tile_cols, 47000));
}

TEST_CASE("multiply_tile_relu with infinite biases") {
  constexpr float INF = std::numeric_limits<float>::infinity();
  HostMatrix<float> bias = integers(1, 16, 3), c(6, 16);
  bias(0, 2) = INF;
  bias(0, 5) = -INF;
  expect(equal_outcome(integers(6, 7, 1), integers(7, 16, 2), bias, c.view(), "infinite biases"));
}

TEST_CASE("multiply_tile_relu of factors whose products are subnormal") {
  HostMatrix<float> a = integers(6, 7, 1), b = integers(7, 16, 2), bias(1, 16), c(6, 16);
  for (HostMatrix<float>* matrix : {&a, &b}) {
    for (float& value : matrix->span()) value *= 0x1p-70f;
  }
  bias.fill(0);
  expect(equal_outcome(a, b, bias, c.view(), "factors around 2^-70, whose products are subnormal"));
}

TEST_CASE("multiply_tile_relu writes rows that lie far apart") {
  for (const int cols : {relu_tile_cols, relu_tile_cols - 1}) {
    const ch01::FarRows far(6, cols);
    if (!far.is_there()) return;
    expect(equal_outcome(integers(6, 7, 1), integers(7, cols, 2), integers(1, cols, 3), far.view(),
                         "rows of C " + std::to_string(ch01::FarRows::kStride) +
                             " elements apart: are offsets computed in 64 bits?"));
  }
}

}  // namespace tut::ch02
