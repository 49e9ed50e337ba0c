#include "07_register_tiling/linear_relu_register.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_case.hpp"
#include "tut/device_matrix.hpp"
#include "tut/math.hpp"
#include "tut/matmul_reference.hpp"
#include "tut/random.hpp"

namespace tut::ch07 {
namespace {

struct Layer {
  Guarded<float> x, w, bias, y;
};

/// How matrices lie in memory: one row after the other; with odd strides, and off a multiple of 16
/// bytes; with rows that begin at multiples of 16 bytes.
enum class Lie { dense, odd, aligned };

Layer make_layer(int batch, int out, int in, Lie lie) {
  const std::size_t guard = lie == Lie::dense ? 0 : lie == Lie::odd ? 4097 : 4096;
  const auto matrix = [&](int rows, int cols) {
    const int stride = lie == Lie::dense ? cols
                       : lie == Lie::odd ? cols + 1
                                         : round_up(cols + 1, 4);
    return Guarded<float>(rows, cols, stride, guard);
  };
  Layer layer{matrix(batch, in), matrix(out, in), Guarded<float>(1, out, out, guard),
              matrix(batch, out)};
  const auto random = [](Guarded<float>& image, std::uint64_t seed) {
    HostMatrix<float> values(image.rows(), image.cols());
    fill_uniform(values, seed);
    image.set(values);
  };
  random(layer.x, 21);
  random(layer.w, 22);
  random(layer.bias, 23);
  return layer;
}

Outcome run(Layer& layer, const std::string& text) {
  return run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<const float> x, MatrixView<const float> w,
         MatrixView<const float> bias,
         MatrixView<float> y) { linear_relu_register(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
}

Outcome values_outcome(int batch, int out, int in, Lie lie) {
  Layer layer = make_layer(batch, out, in, lie);
  const Layer before = layer;
  const std::string text = "batch " + std::to_string(batch) + ", out " + std::to_string(out) +
                           ", in " + std::to_string(in);
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;

  const auto w = before.w.cview();
  const MatmulReference reference =
      matmul_reference(to_double_matrix(before.x.cview()),
                       make_matrix<double>(in, out, [&](int k, int c) { return w(c, k); }));
  const HostMatrix<double> product_bound = matmul_bound(reference, {});
  const auto bias = [&](int c) { return static_cast<double>(before.bias.cview()(0, c)); };
  const auto expected = make_matrix<double>(
      batch, out, [&](int r, int c) { return std::max(0.0, reference.product(r, c) + bias(c)); });
  const auto bound = make_matrix<double>(batch, out, [&](int r, int c) {
    return product_bound(r, c) + 0x1p-24 * (std::abs(bias(c)) + reference.magnitude(r, c));
  });
  return first_failure(
      {compare(layer.y.cview(), expected, bound, {.name = "y", .shape = text, .pattern = {}}),
       only_inside_changed(before.y, layer.y, "y", text),
       nothing_changed(before.x, layer.x, "x", text), nothing_changed(before.w, layer.w, "w", text),
       nothing_changed(before.bias, layer.bias, "bias", text, true)});
}

}  // namespace

TEST_CASE("linear_relu_register computes max(xW^T + bias, 0)") {
  for (const auto& [batch, out, in] : {std::tuple{64, 64, 16},
                                       {64, 128, 48},
                                       {65, 63, 17},
                                       {63, 65, 15},
                                       {5, 131, 71},
                                       {1, 40, 65},
                                       {40, 1, 32},
                                       {1, 1, 1}}) {
    for (const Lie lie : {Lie::dense, Lie::odd, Lie::aligned}) {
      expect(values_outcome(batch, out, in, lie));
    }
  }
}

TEST_CASE("linear_relu_register passes a NaN on") {
  Layer layer = make_layer(3, 2, 4, Lie::dense);
  layer.x.view()(1, 2) = std::numeric_limits<float>::quiet_NaN();
  if (Outcome outcome = run(layer, "one NaN in row 1 of x"); !outcome.ok) {
    expect(outcome);
    return;
  }
  const auto y = layer.y.cview();
  const bool nan_kept = std::isnan(y(1, 0)) && std::isnan(y(1, 1));
  expect(nan_kept && !is_unwritten(y(1, 0))
             ? Outcome{}
             : failure("values", "row 1 of x holds a NaN, so row 1 of y must be NaN, but it is " +
                                     std::to_string(y(1, 0)) + ", " + std::to_string(y(1, 1))));
}

TEST_CASE("linear_relu_register refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(12);
  float* data = memory.data();
  CHECK_THROWS_AS(
      linear_relu_register({data, 2, 3, 3}, {data, 2, 2, 2}, data, {data, 2, 2, 2}, nullptr),
      std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int BATCH = 64, OUT = 128, IN = 96;
  const DeviceMatrix<float> x(BATCH, IN), w(OUT, IN), bias(1, OUT);
  DeviceMatrix<float> y(BATCH, OUT);
  expect_budget("linear_relu_register", BATCH * OUT * (IN / 8.0 + 0.5 + 4),
                [&] { linear_relu_register(x.view(), w.view(), bias.data(), y.view()); });
}

}  // namespace tut::ch07
