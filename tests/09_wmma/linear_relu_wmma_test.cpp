#include "09_wmma/linear_relu_wmma.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "tensor_core_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch09 {
namespace {

struct Layer {
  Guarded<__half> x, w;
  Guarded<float> bias;
  Guarded<__half> y;
};

template <class T>
void fill_random(Guarded<T>& image, std::uint64_t seed) {
  HostMatrix<T> values(image.rows(), image.cols());
  fill_uniform(values, seed);
  image.set(values);
}

// `extra` elements lie between rows; a multiple of 8 leaves them in reach of vectors, unless the
// matrix is the one that begins an element behind a multiple of 16 bytes.
Layer make_layer(int batch, int out, int in, int extra, const std::string& shifted = "") {
  const auto guard = [&](const char* name) {
    return std::size_t{extra > 0 ? 4096u : 0u} + (shifted == name ? 1 : 0);
  };
  Layer layer{Guarded<__half>(batch, in, in + extra, guard("x")),
              Guarded<__half>(out, in, in + 2 * extra, guard("W")),
              Guarded<float>(1, out, out, guard("bias")),
              Guarded<__half>(batch, out, out + 3 * extra, guard("y"))};
  fill_random(layer.x, 41);
  fill_random(layer.w, 42);
  fill_random(layer.bias, 43);
  return layer;
}

Outcome run(Layer& layer, const std::string& text) {
  return run_on_device(
      {.most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<const __half> x, MatrixView<const __half> w,
         MatrixView<const float> bias,
         MatrixView<__half> y) { linear_relu_wmma(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
}

Outcome layer_outcome(Layer layer, const std::string& text) {
  const Layer before = layer;
  const int batch = before.x.rows(), out = before.w.rows(), in = before.w.cols();
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;

  const auto w = before.w.cview();
  const MatmulReference reference = matmul_reference(
      to_double_matrix(before.x.cview()),
      make_matrix<double>(in, out, [&](int k, int c) { return to_double(w(c, k)); }));
  const HostMatrix<double> product_bound = matmul_bound(reference, tensor_core_tolerance);
  const auto bias = [&](int c) { return static_cast<double>(before.bias.cview()(0, c)); };
  const auto expected = make_matrix<double>(
      batch, out, [&](int r, int c) { return std::max(0.0, reference.product(r, c) + bias(c)); });
  const double of_bias = 2 * std::sqrt(in) * 0x1p-23;  // whoever begins with it rounds its sums
  const auto bound = make_matrix<double>(batch, out, [&](int r, int c) {
    return product_bound(r, c) + of_bias * std::abs(bias(c)) +
           0x1p-24 * (std::abs(bias(c)) + reference.magnitude(r, c)) +
           Precision<__half>::rounding * expected(r, c) + Precision<__half>::underflow;
  });
  const auto with_relu = [&](const auto& value) {
    return [&, value](int r, int c) { return std::max(0.0, value(r, c)); };
  };
  // Element (row, col) of its tile of 16 x 16 moved to where `to` says, before the bias.
  const auto rearranged = [&](const auto& to) {
    return with_relu([&, to](int r, int c) {
      const auto [row, col] = to(r % 16, c % 16);
      const int from_row = r - r % 16 + row, from_col = c - c % 16 + col;
      return from_row < batch && from_col < out ? reference.product(from_row, from_col) + bias(c)
                                                : no_opinion;
    });
  };
  const std::vector<Formula> mistakes = {
      {"made without the bias: y = max(0, xW^T + bias)",
       with_relu([&](int r, int c) { return reference.product(r, c); })},
      {"made with the bias of the column in its tile, and not in y: where does the tile begin?",
       with_relu([&](int r, int c) { return reference.product(r, c) + bias(c % 64); })},
      {"made with the bias of the column in its fragment, and not in y: where does that begin?",
       with_relu([&](int r, int c) { return reference.product(r, c) + bias(c % 16); })},
      {"made of sums whose tiles of 16x16 are transposed: are they stored by rows "
       "(mem_row_major), as they are read?",
       rearranged([](int row, int col) {
         return std::pair{col, row};
       })},
      {"made of sums whose left and right 8 columns of each tile of 16 are exchanged",
       rearranged([](int row, int col) {
         return std::pair{row, (col + 8) % 16};
       })},
      {"made of sums whose upper and lower 8 rows of each tile of 16 are exchanged",
       rearranged([](int row, int col) {
         return std::pair{(row + 8) % 16, col};
       })},
      {"made with the bias behind the maximum: y = max(0, xW^T + bias)",
       [&](int r, int c) { return std::max(0.0, reference.product(r, c)) + bias(c); }}};
  return first_failure(
      {compare(layer.y.cview(), expected, bound,
               {.name = "y",
                .shape = text,
                .pattern = [&](const Mismatch& m) { return formula_pattern(m, mistakes); }}),
       only_inside_changed(before.y, layer.y, "y", text),
       nothing_changed(before.x, layer.x, "x", text), nothing_changed(before.w, layer.w, "w", text),
       nothing_changed(before.bias, layer.bias, "bias", text, true)});
}

std::string text_of(int batch, int out, int in, int extra) {
  return "batch " + std::to_string(batch) + ", out " + std::to_string(out) + ", in " +
         std::to_string(in) + ", " + std::to_string(extra) + " elements between rows";
}

Outcome values_outcome(int batch, int out, int in, int extra) {
  return layer_outcome(make_layer(batch, out, in, extra), text_of(batch, out, in, extra));
}

Outcome bias_alone_outcome() {
  Layer layer = make_layer(64, 64, 32, 0);
  layer.w.fill(__float2half(0.0f));
  return layer_outcome(layer, text_of(64, 64, 32, 0) + ", W is zero");
}

Outcome shifted_layer_outcome(const char* name) {
  return layer_outcome(
      make_layer(64, 128, 32, 8, name),
      text_of(64, 128, 32, 8) + "; " + name + " begins an element behind a multiple of 16 bytes");
}

// Sums and biases that half cannot hold, infinities and NaN.
Layer special_layer(int batch, int out, int in, int extra) {
  constexpr float INF = std::numeric_limits<float>::infinity();
  Layer layer = make_layer(batch, out, in, extra);
  HostMatrix<__half> x(batch, in), w(out, in);
  HostMatrix<float> bias(1, out);
  fill_small_integers(x, 44, 3);
  fill_small_integers(w, 45, 3);
  fill_small_integers(bias, 46, 3);
  bias(0, 3) = INF;
  bias(0, 4) = -INF;
  bias(0, 5) = std::numeric_limits<float>::quiet_NaN();
  bias(0, 6) = 70000;  // y is infinite
  bias(0, 7) = 100000;
  w(7, 0) = __float2half(-1000);
  for (int r = 0; r < batch; ++r) x(r, 0) = __float2half(static_cast<float>(40 + r));
  x(batch - 1, in - 1) = __float2half(INF);
  x(4, 9) = __float2half(-INF);
  w(8, 9) = __float2half(0);  // 0 times infinity is NaN
  w(out - 1, 11) = __float2half(INF);
  w(2, in - 1) = __float2half(-INF);  // beside what lies behind x
  layer.x.set(x);
  layer.w.set(w);
  layer.bias.set(bias);
  return layer;
}

Outcome special_values_outcome(int batch, int out, int in, int extra) {
  Layer layer = special_layer(batch, out, in, extra);
  const std::string text =
      text_of(batch, out, in, extra) + ", with infinities, NaN, and sums that half cannot hold";
  const auto x = to_double_matrix(layer.x.cview()), w = to_double_matrix(layer.w.cview());
  const auto bias = to_double_matrix(layer.bias.cview());
  const auto expected = make_matrix<double>(x.rows(), w.rows(), [&](int r, int c) {
    double sum = bias(0, c);
    for (int k = 0; k < x.cols(); ++k) sum += x(r, k) * w(c, k);
    const double y = sum < 0 ? 0 : sum;
    return y >= 65520 ? std::numeric_limits<double>::infinity() : y;
  });
  const auto bound = make_matrix<double>(x.rows(), w.rows(), [&](int r, int c) {
    return Precision<__half>::rounding * expected(r, c);
  });
  Outcome outcome = run(layer, text);
  return outcome.ok ? compare(layer.y.cview(), expected, bound,
                              {.name = "y", .shape = text, .pattern = {}})
                    : outcome;
}

// W is zero, and y the bias: where rounding to half changes from one number to the next.
Outcome edges_outcome() {
  constexpr float INF = std::numeric_limits<float>::infinity();
  // The bias and y; none lies in the middle of two numbers of half.
  const std::vector<std::pair<float, float>> edges{{65504, 65504},
                                                   {65505, 65504},
                                                   {65519.996f, 65504},
                                                   {65520.004f, INF},
                                                   {65536, INF},
                                                   {-65536, 0},
                                                   {0x1p-24f, 0x1p-24f},
                                                   {0x1.8p-25f, 0x1p-24f},
                                                   {0x1.7p-24f, 0x1p-24f},
                                                   {0x1.8p-26f, 0},
                                                   {0x1p-15f, 0x1p-15f},
                                                   {0x1.FF8p-15f, 0x1.FF8p-15f},
                                                   {0x1.FFFp-15f, 0x1p-14f},
                                                   {1 + 0x1p-11f + 0x1p-20f, 1 + 0x1p-10f},
                                                   {1 + 0x1p-11f - 0x1p-20f, 1}};
  const auto out = static_cast<int>(edges.size());
  Layer layer = make_layer(3, out, 16, 0);
  layer.w.fill(__float2half(0.0f));
  for (int c = 0; c < out; ++c) layer.bias.view()(0, c) = edges[static_cast<std::size_t>(c)].first;
  const std::string text = "W is zero, biases at the edges of half";
  const auto expected = make_matrix<double>(
      3, out, [&](int, int c) { return edges[static_cast<std::size_t>(c)].second; });
  const auto exact = make_matrix<double>(3, out, [](int, int) { return 0.0; });
  Outcome outcome = run(layer, text);
  return outcome.ok ? compare(layer.y.cview(), expected, exact,
                              {.name = "y", .shape = text, .pattern = {}})
                    : outcome;
}

Outcome far_outcome() {
  constexpr int BATCH = 3, OUT = 4, IN = 13;  // a whole vector, and five elements alone
  HostMatrix<__half> x(BATCH, IN), w(OUT, IN);
  fill_small_integers(x, 47, 4);
  fill_small_integers(w, 48, 4);
  const DeviceBuffer<float> bias(std::vector<float>(1000, 3.0f));
  const auto layer = [&](cudaStream_t stream, MatrixView<const __half> from_x,
                         MatrixView<const __half> from_w, MatrixView<__half> to) {
    linear_relu_wmma(from_x, from_w, bias.data(), to, stream);
  };
  const auto expected = make_matrix<double>(BATCH, OUT, [&](int r, int c) {
    double sum = 3;
    for (int k = 0; k < IN; ++k) sum += to_double(x(r, k)) * to_double(w(c, k));
    return std::max(0.0, sum);
  });
  Outcome outcome = far_rows_of<__half>(x, w, expected, layer);
  if (!outcome.ok) return outcome;
  return far_tiles_of<__half, __half>(
      SecondFactor::transposed, [](double product) { return std::max(0.0, product + 3); }, layer);
}

}  // namespace

TEST_CASE("linear_relu_wmma computes max(xW^T + bias, 0)") {
  // First the bias alone: what stands in a wrong place shows.
  expect(bias_alone_outcome());
  for (const auto& [batch, out, in] : {std::tuple{64, 64, 32},
                                       {1, 1, 1},
                                       {63, 65, 31},
                                       {65, 63, 33},
                                       {128, 64, 96},
                                       {5, 97, 71},
                                       {1, 40, 65},
                                       {40, 1, 32}}) {
    for (const int extra : {0, 1, 8}) expect(values_outcome(batch, out, in, extra));
  }
  for (const auto& [batch, out, in] : {std::tuple{5000, 17, 3}, {17, 5000, 2}, {3, 5, 4200}}) {
    expect(values_outcome(batch, out, in, 1));
  }
  for (const char* shifted : {"x", "W", "bias", "y"}) expect(shifted_layer_outcome(shifted));
  expect(far_outcome());
}

TEST_CASE("linear_relu_wmma adds the bias in FP32, and passes infinities on") {
  expect(special_values_outcome(21, 35, 37, 3));
  expect(special_values_outcome(64, 64, 64, 0));  // whole tiles, in reach of vectors
  expect(edges_outcome());
}

TEST_CASE("linear_relu_wmma passes a NaN on") {
  Layer layer = make_layer(3, 2, 4, 0);
  layer.x.view()(1, 2) = __float2half(std::numeric_limits<float>::quiet_NaN());
  if (Outcome outcome = run(layer, "one NaN in row 1 of x"); !outcome.ok) {
    expect(outcome);
    return;
  }
  const auto y = layer.y.cview();
  const auto is_result_nan = [&](int c) {
    return std::isnan(to_double(y(1, c))) && !is_unwritten(y(1, c));
  };
  expect(is_result_nan(0) && is_result_nan(1)
             ? Outcome{}
             : failure("values", "row 1 of x holds a NaN, so row 1 of y must be NaN, but it is " +
                                     std::to_string(to_double(y(1, 0))) + ", " +
                                     std::to_string(to_double(y(1, 1)))));
}

TEST_CASE("linear_relu_wmma of as many rows, columns and elements as there may be") {
  const LongBuffer<float> bias;
  expect(tensor_reach_outcome<__half, __half>(
      [&](cudaStream_t stream, int m, int n, const __half* x, const __half* w, __half* y) {
        linear_relu_wmma({x, m, 1, 1}, {w, n, 1, 1}, bias.data(), {y, m, n, n}, stream);
      },
      [](const MatmulShape& shape) { return values_outcome(shape.m, shape.n, shape.k, 0); }));
}

TEST_CASE("linear_relu_wmma refuses shapes that do not fit") {
  const DeviceBuffer<float> bias(16);
  expect(product_refusals_outcome<__half, __half>(
      [&](auto x, auto w, auto y) { linear_relu_wmma(x, w, bias.data(), y); }, true));
}

TEST_CASE("budget") {
  constexpr int BATCH = 128, OUT = 256, IN = 128;  // which tiles of 128 divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 16.0 + 0.25 + 2); };
  expect_budget("linear_relu_wmma", cost({BATCH, OUT, IN}),
                [] { return values_outcome(BATCH, OUT, IN, 0); });
  for (const MatmulShape& s : shapes_of_one_tile({BATCH, OUT, IN}, 64)) {
    expect_cost(cost(s), [=] { return values_outcome(s.m, s.n, s.k, 0); });
  }
  for (const auto& [m, n, k] : ragged_shapes()) {
    expect_tensor_products(fragment_products(m, n, k),
                           [m = m, n = n, k = k] { return values_outcome(m, n, k, 0); });
  }
}

}  // namespace tut::ch09
