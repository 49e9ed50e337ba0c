#include "10_mma_pipelines/linear_silu_mma.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "mma_case.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch10 {
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

double silu(double v) { return v / (1 + std::exp(-v)); }

Outcome layer_outcome(Layer layer, const std::string& text) {
  const Layer before = layer;
  const int batch = before.x.rows(), out = before.w.rows(), in = before.w.cols();
  const Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<const __half> x, MatrixView<const __half> w,
         MatrixView<const float> bias,
         MatrixView<__half> y) { linear_silu_mma(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
  if (!run.ok) return run;

  const auto w = before.w.cview();
  const MatmulReference reference = matmul_reference(
      to_double_matrix(before.x.cview()),
      make_matrix<double>(in, out, [&](int k, int c) { return to_double(w(c, k)); }));
  const auto bias = [&](int c) { return static_cast<double>(before.bias.cview()(0, c)); };
  const auto value = [&](const auto& of) { return make_matrix<double>(batch, out, of); };
  const auto expected =
      value([&](int r, int c) { return silu(reference.product(r, c) + bias(c)); });
  const auto bound = value([&](int r, int c) {
    const double sum =
        (2 * std::sqrt(in) + 0.5) * 0x1p-23 * (reference.magnitude(r, c) + std::abs(bias(c)));
    return 1.1 * sum + (0x1p-20 + Precision<__half>::rounding) * std::abs(expected(r, c)) +
           0x1p-30 + Precision<__half>::underflow;
  });
  const auto formula = [&](const auto& of) { return std::function<double(int, int)>(of); };
  const std::vector<Formula> mistakes = {
      {"made without the bias: y = silu(xW^T + bias)",
       formula([&](int r, int c) { return silu(reference.product(r, c)); })},
      {"made with the bias behind silu: y = silu(xW^T + bias)",
       formula([&](int r, int c) { return silu(reference.product(r, c)) + bias(c); })},
      {"made without silu: y = silu(xW^T + bias)",
       formula([&](int r, int c) { return reference.product(r, c) + bias(c); })},
      {"made with the bias of the column in its 16 x 8, and not in y: where does that begin?",
       formula([&](int r, int c) { return silu(reference.product(r, c) + bias(c % 8)); })},
      {"made with the bias of the left one of two neighbours: each column has its own",
       formula([&](int r, int c) { return silu(reference.product(r, c) + bias(c - c % 2)); })}};
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

// W is zero: y is silu of the bias, from where exp(-v) is infinite to where it is 0.
Outcome silu_outcome() {
  constexpr int OUT = 160;
  Layer layer = make_layer(3, OUT, 16, 0);
  layer.w.fill(__float2half(0.0f));
  for (int c = 0; c < OUT; ++c) {
    const float v = static_cast<float>(c - OUT / 2);
    layer.bias.view()(0, c) = std::abs(v) > 40 ? 25 * v : v / 4;
  }
  return layer_outcome(layer, "W is zero, biases from -2000 to 2000");
}

Outcome far_outcome() {
  constexpr int BATCH = 3, OUT = 4, IN = 13;
  HostMatrix<__half> x(BATCH, IN), w(OUT, IN);
  fill_small_integers(x, 47, 4);
  fill_small_integers(w, 48, 4);
  // With a bias of 64 silu changes nothing that half could tell.
  const DeviceBuffer<float> bias(std::vector<float>(1000, 64.0f));
  const auto layer = [&](cudaStream_t stream, MatrixView<const __half> from_x,
                         MatrixView<const __half> from_w, MatrixView<__half> to) {
    linear_silu_mma(from_x, from_w, bias.data(), to, stream);
  };
  const auto expected = make_matrix<double>(BATCH, OUT, [&](int r, int c) {
    double sum = 64;
    for (int k = 0; k < IN; ++k) sum += to_double(x(r, k)) * to_double(w(c, k));
    return to_double(from_float<__half>(static_cast<float>(silu(sum))));
  });
  return ch09::far_rows_of<__half>(x, w, expected, layer);
}

}  // namespace

TEST_CASE("linear_silu_mma computes silu(xW^T + bias)") {
  if (!can_run("linear_silu_mma")) return;
  expect(silu_outcome());
  for (const auto& [batch, out, in] : {std::tuple{64, 64, 64},
                                       {1, 1, 1},
                                       {63, 65, 63},
                                       {65, 63, 65},
                                       {128, 64, 192},
                                       {5, 97, 71},
                                       {1, 40, 65},
                                       {40, 1, 32}}) {
    for (const int extra : {0, 1, 8}) expect(values_outcome(batch, out, in, extra));
  }
  for (const auto& [batch, out, in] : {std::tuple{5000, 17, 3}, {17, 5000, 2}, {3, 5, 4200}}) {
    expect(values_outcome(batch, out, in, 1));
  }
  for (const char* shifted : {"x", "W", "bias", "y"}) {
    expect(layer_outcome(make_layer(64, 128, 32, 8, shifted),
                         text_of(64, 128, 32, 8) + "; " + shifted +
                             " begins an element behind a multiple of 16 bytes"));
  }
  expect(far_outcome());
}

TEST_CASE("linear_silu_mma of as many rows, columns and elements as there may be") {
  if (!can_run("linear_silu_mma")) return;
  const LongBuffer<float> bias;
  expect(ch09::tensor_reach_outcome<__half, __half>(
      [&](cudaStream_t stream, int m, int n, const __half* x, const __half* w, __half* y) {
        linear_silu_mma({x, m, 1, 1}, {w, n, 1, 1}, bias.data(), {y, m, n, n}, stream);
      },
      [](const MatmulShape& shape) { return values_outcome(shape.m, shape.n, shape.k, 0); }));
}

TEST_CASE("linear_silu_mma refuses shapes that do not fit") {
  if (!can_run("linear_silu_mma")) return;
  const DeviceBuffer<float> bias(16);
  expect(product_refusals_outcome<__half, __half>(
      [&](auto x, auto w, auto y) { linear_silu_mma(x, w, bias.data(), y); }, true));
}

TEST_CASE("budget") {
  constexpr int BATCH = 128, OUT = 256, IN = 256;  // which tiles of 128 divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 16.0 + 0.5 + 4); };
  expect_budget("linear_silu_mma", cost({BATCH, OUT, IN}),
                [] { return values_outcome(BATCH, OUT, IN, 0); });
  for (const MatmulShape& s : shapes_of_one_tile({BATCH, OUT, IN}, 64)) {
    expect_cost(cost(s), [=] { return values_outcome(s.m, s.n, s.k, 0); });
  }
  for (const auto& [m, n, k] : ragged_shapes()) {
    expect_tensor_products(mma_products(m, n, k),
                           [m = m, n = n, k = k] { return values_outcome(m, n, k, 0); });
  }
}

}  // namespace tut::ch10
