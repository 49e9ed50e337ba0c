#include "05_shared_memory_tiling/linear_relu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_case.hpp"
#include "tut/device_matrix.hpp"
#include "tut/device_probe.hpp"
#include "tut/matmul_reference.hpp"
#include "tut/random.hpp"

namespace tut::ch05 {
namespace {

struct Layer {
  Guarded<float> x, w, bias, y;
};

Layer make_layer(int batch, int out, int in, bool dense) {
  const std::size_t guard = dense ? 0 : 4096;
  const int extra = dense ? 0 : 1;
  Layer layer{Guarded<float>(batch, in, in + extra, guard),
              Guarded<float>(out, in, in + 2 * extra, guard), Guarded<float>(1, out, out, guard),
              Guarded<float>(batch, out, out + 3 * extra, guard)};
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
         MatrixView<float> y) { linear_relu(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
}

/// Without a bias, and where nothing is below 0, the layer is linear.
std::string probe_layer(int batch, int out, int in) {
  Probe probe{{{"x", {batch, in}}, {"w", {out, in}}}, {"y", {batch, out}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    const auto matrix = [](const Probe::Values& values, int rows, int cols, int down, int right) {
      return make_matrix<double>(rows, cols, [&](int r, int c) {
        return values[static_cast<std::size_t>(r * down + c * right)];
      });
    };
    const MatmulReference reference =
        matmul_reference(matrix(inputs[0], batch, in, in, 1), matrix(inputs[1], in, out, 1, in));
    return Probe::Values(reference.product.span().begin(), reference.product.span().end());
  };
  probe.run = probe_on_device(
      probe.output, [=](const std::vector<const float*>& from, float* to, cudaStream_t stream) {
        const DeviceBuffer<float> bias(std::vector<float>(static_cast<std::size_t>(out), 0.0f));
        linear_relu({from[0], batch, in, in}, {from[1], out, in, in}, bias.data(),
                    {to, batch, out, out}, stream);
        check(cudaStreamSynchronize(stream));
      });
  return probe_one_hot(probe);
}

Outcome values_outcome(int batch, int out, int in, bool dense) {
  Layer layer = make_layer(batch, out, in, dense);
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
  CompareOptions options{.name = "y", .shape = text, .pattern = {}};
  options.probe = [&] { return probe_layer(batch, out, in); };
  return first_failure({compare(layer.y.cview(), expected, bound, options),
                        only_inside_changed(before.y, layer.y, "y", text),
                        nothing_changed(before.x, layer.x, "x", text),
                        nothing_changed(before.w, layer.w, "w", text),
                        nothing_changed(before.bias, layer.bias, "bias", text, true)});
}

}  // namespace

TEST_CASE("linear_relu computes max(xW^T + bias, 0)") {
  for (const auto& [batch, out, in] : {std::tuple{32, 32, 32},
                                       {1, 1, 1},
                                       {31, 33, 31},
                                       {33, 31, 33},
                                       {64, 32, 96},
                                       {5, 97, 71},
                                       {1, 40, 65},
                                       {40, 1, 32}}) {
    for (const bool dense : {true, false}) expect(values_outcome(batch, out, in, dense));
  }
}

TEST_CASE("linear_relu passes a NaN on") {
  Layer layer = make_layer(3, 2, 4, true);
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

TEST_CASE("linear_relu refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(12);
  float* data = memory.data();
  CHECK_THROWS_AS(linear_relu({data, 2, 3, 3}, {data, 2, 2, 2}, data, {data, 2, 2, 2}, nullptr),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int BATCH = 64, OUT = 96, IN = 128;
  const DeviceMatrix<float> x(BATCH, IN), w(OUT, IN), bias(1, OUT);
  DeviceMatrix<float> y(BATCH, OUT);
  expect_budget("linear_relu", BATCH * OUT * (IN / 4.0 + 4 + 4),
                [&] { linear_relu(x.view(), w.view(), bias.data(), y.view()); });
}

}  // namespace tut::ch05
