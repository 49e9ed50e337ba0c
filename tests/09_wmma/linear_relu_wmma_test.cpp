#include "09_wmma/linear_relu_wmma.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tensor_core_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_case.hpp"
#include "tut/device_matrix.hpp"

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

// `extra` elements lie between rows; a multiple of 8 leaves them in reach of vectors.
Layer make_layer(int batch, int out, int in, int extra) {
  const std::size_t guard = extra > 0 ? 4096 : 0;
  Layer layer{Guarded<__half>(batch, in, in + extra, guard),
              Guarded<__half>(out, in, in + 2 * extra, guard), Guarded<float>(1, out, out, guard),
              Guarded<__half>(batch, out, out + 3 * extra, guard)};
  fill_random(layer.x, 41);
  fill_random(layer.w, 42);
  fill_random(layer.bias, 43);
  return layer;
}

Outcome run(Layer& layer, const std::string& text) {
  return run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<const __half> x, MatrixView<const __half> w,
         MatrixView<const float> bias,
         MatrixView<__half> y) { linear_relu_wmma(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
}

Outcome values_outcome(int batch, int out, int in, int extra, bool has_weights = true) {
  Layer layer = make_layer(batch, out, in, extra);
  if (!has_weights) {
    layer.w.set(make_matrix<__half>(out, in, [](int, int) { return __float2half(0.0f); }));
  }
  const Layer before = layer;
  const std::string text = "batch " + std::to_string(batch) + ", out " + std::to_string(out) +
                           ", in " + std::to_string(in) + ", " + std::to_string(extra) +
                           " elements between rows" + (has_weights ? "" : ", W is zero");
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;

  const auto w = before.w.cview();
  const MatmulReference reference = matmul_reference(
      to_double_matrix(before.x.cview()),
      make_matrix<double>(in, out, [&](int k, int c) { return to_double(w(c, k)); }));
  const HostMatrix<double> product_bound = matmul_bound(reference, tensor_core_tolerance);
  const auto bias = [&](int c) { return static_cast<double>(before.bias.cview()(0, c)); };
  const auto expected = make_matrix<double>(
      batch, out, [&](int r, int c) { return std::max(0.0, reference.product(r, c) + bias(c)); });
  const auto bound = make_matrix<double>(batch, out, [&](int r, int c) {
    return product_bound(r, c) + 0x1p-24 * (std::abs(bias(c)) + reference.magnitude(r, c)) +
           Precision<__half>::rounding * expected(r, c) + Precision<__half>::underflow;
  });
  return first_failure(
      {compare(layer.y.cview(), expected, bound, {.name = "y", .shape = text, .pattern = {}}),
       only_inside_changed(before.y, layer.y, "y", text),
       nothing_changed(before.x, layer.x, "x", text), nothing_changed(before.w, layer.w, "w", text),
       nothing_changed(before.bias, layer.bias, "bias", text, true)});
}

}  // namespace

TEST_CASE("linear_relu_wmma computes max(xW^T + bias, 0)") {
  // First the bias alone: what stands in a wrong place shows.
  expect(values_outcome(64, 64, 32, 0, false));
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

TEST_CASE("linear_relu_wmma refuses shapes that do not fit") {
  const DeviceBuffer<__half> memory(12);
  const DeviceBuffer<float> bias(2);
  __half* data = memory.data();
  const MatrixView<__half> y{data, 2, 2, 2};
  CHECK_THROWS_AS(linear_relu_wmma({data, 2, 3, 3}, {data, 2, 2, 2}, bias.data(), y),
                  std::invalid_argument);
  // Rows of W that overlap.
  CHECK_THROWS_AS(linear_relu_wmma({data, 2, 3, 3}, {data, 2, 3, 2}, bias.data(), y),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int BATCH = 128, OUT = 192, IN = 96;
  const DeviceMatrix<__half> x(BATCH, IN), w(OUT, IN);
  const DeviceMatrix<float> bias(1, OUT);
  DeviceMatrix<__half> y(BATCH, OUT);
  expect_budget("linear_relu_wmma", BATCH * OUT * (IN / 16.0 + 0.25 + 2),
                [&] { linear_relu_wmma(x.view(), w.view(), bias.data(), y.view()); });
}

}  // namespace tut::ch09
