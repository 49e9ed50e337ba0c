#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tut/guarded.hpp"
#include "tut/matmul_reference.hpp"
#include "tut/random.hpp"
#include "tut/require.hpp"

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
  Guarded<float> c(rows, cols, cols + 5, 128);
  const Guarded<float> before = c;

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

}  // namespace

TEST_CASE("multiply_tile_relu computes max(0, A B + bias) on whole and ragged tiles") {
  for (const int rows : {1, 5, 6}) {
    for (const int cols : {1, 7, 15, 16}) {
      for (const int depth : {1, 2, 17, 256}) {
        expect(tile_outcome(rows, cols, depth, true));
        expect(tile_outcome(rows, cols, depth, false));
      }
    }
  }
}

}  // namespace tut::ch02
