#include "05_shared_memory_tiling/linear_relu.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "../far_tiles.hpp"
#include "../layer_shapes.hpp"
#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"

namespace tut::ch05 {
namespace {

struct Layer {
  Guarded<float> x, w, bias, y;
};

/// Dense, dense and beginning at no multiple of 16 bytes, with padding, or with rows that are
/// longer and begin at multiples of 128 bytes.
enum class Layout { dense, odd, padded, longer };

/// `odd`: what begins at no multiple of 16 bytes where the layout is odd, x, w, b (the bias) or y.
Layer make_layer(int batch, int out, int in, Layout layout, const std::string& odd = "xwby") {
  const bool padded = layout == Layout::padded;
  const auto guard = [&](char name) -> std::size_t {
    return padded ? 4096 : layout == Layout::odd && odd.find(name) != std::string::npos ? 1 : 0;
  };
  const auto stride = [=](int cols, int extra) {
    return cols + (padded ? extra : layout == Layout::longer ? kLongerRows : 0);
  };
  Layer layer{Guarded<float>(batch, in, stride(in, 1), guard('x')),
              Guarded<float>(out, in, stride(in, 2), guard('w')),
              Guarded<float>(1, out, out, guard('b')),
              Guarded<float>(batch, out, stride(out, 3), guard('y'))};
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
      {.most_launches = 1}, text,
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

struct Reference {
  HostMatrix<double> y, bound;
};

Reference reference_of(MatrixView<const float> x, MatrixView<const float> w,
                       MatrixView<const float> bias) {
  const MatmulReference reference =
      matmul_reference(to_double_matrix(x), make_matrix<double>(w.cols, w.rows, [&](int k, int c) {
                         return static_cast<double>(w(c, k));
                       }));
  const auto bias_of = [&](int c) { return static_cast<double>(bias(0, c)); };
  HostMatrix<double> y = reference.product, bound = reference.magnitude;
  for (int r = 0; r < y.rows(); ++r) {
    for (int c = 0; c < y.cols(); ++c) {
      const double value = y(r, c) + bias_of(c);
      // The bias is one more term of the sum, and may be its first.
      const double magnitude = bound(r, c) + std::abs(bias_of(c));
      y(r, c) = value < 0 ? 0 : value;
      // Where a sum is infinite or NaN, it has to be just that, and 0 if it is -infinity.
      bound(r, c) = std::isfinite(value) ? 2 * std::sqrt(x.cols + 1) * 0x1p-24 * magnitude : 0.0;
    }
  }
  return {std::move(y), std::move(bound)};
}

std::string layer_text(int batch, int out, int in) {
  return "batch " + std::to_string(batch) + ", out " + std::to_string(out) + ", in " +
         std::to_string(in);
}

/// Runs the layer, and judges all of y and what lies around.
Outcome outcome_of(Layer layer, const std::string& text) {
  const Layer before = layer;
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;

  const Reference expected = reference_of(before.x.cview(), before.w.cview(), before.bias.cview());
  CompareOptions options{.name = "y", .shape = text, .pattern = {}};
  options.probe = [&] { return probe_layer(layer.y.rows(), layer.y.cols(), layer.x.cols()); };
  return first_failure({compare(layer.y.cview(), expected.y, expected.bound, options),
                        only_inside_changed(before.y, layer.y, "y", text),
                        nothing_changed(before.x, layer.x, "x", text),
                        nothing_changed(before.w, layer.w, "w", text),
                        nothing_changed(before.bias, layer.bias, "bias", text, true)});
}

Outcome values_outcome(int batch, int out, int in, Layout layout) {
  const bool apart = layout == Layout::padded || layout == Layout::longer;
  return outcome_of(make_layer(batch, out, in, layout),
                    layer_text(batch, out, in) + (apart ? ", rows farther apart than long" : ""));
}

/// Rows of x, w or y lie so far apart that offsets are beyond 32 bits: a few rows, more than two
/// tiles of them, or whole tiles.
Outcome far_outcome(char far, std::int64_t far_stride) {
  const bool whole = far_stride == kFarWholeStride;
  const int few = whole ? 64 : 6, many = whole                          ? kFarWholeRows
                                         : far_stride == kFarTileStride ? kFarRows
                                                                        : 5;
  const int BATCH = far != 'w' ? many : few, OUT = far == 'w' ? many : few, IN = whole ? 32 : 33;
  const auto stride = [=](char name, int cols) -> std::int64_t {
    return far == name ? far_stride : cols;
  };
  SparseMatrix<float> x(BATCH, IN, stride('x', IN)), w(OUT, IN, stride('w', IN)), bias(1, OUT, OUT),
      y(BATCH, OUT, stride('y', OUT));
  if (!x.is_there() || !w.is_there() || !y.is_there()) return {};
  HostMatrix<float> host_x(BATCH, IN), host_w(OUT, IN), host_bias(1, OUT);
  fill_uniform(host_x, 24);
  fill_uniform(host_w, 25);
  fill_uniform(host_bias, 26);
  x.upload(host_x);
  w.upload(host_w);
  bias.upload(host_bias);
  y.upload(HostMatrix<float>(BATCH, OUT));
  const std::string text = std::string("rows of ") + far + " are " + far_text(stride(far, 0));
  Outcome outcome = run_far(text, [&](cudaStream_t stream) {
    linear_relu(x.cview(), w.cview(), bias.cview().data, y.view(), stream);
  });
  if (!outcome.ok) return outcome;
  const Reference expected = reference_of(host_x.cview(), host_w.cview(), host_bias.cview());
  return compare(y.download().cview(), expected.y, expected.bound,
                 {.name = "y", .shape = text, .stride = y.cview().stride, .pattern = {}});
}

/// One element of y, which has to be a certain infinity, NaN, or 0.
Outcome element_is(const Layer& layer, int row, int col, float expected, const std::string& why) {
  const float got = layer.y.cview()(row, col);
  if (is_right(got, static_cast<double>(expected), 0)) return {};
  return failure("values", "y(" + std::to_string(row) + ", " + std::to_string(col) + ") is " +
                               value_text(got) + "; expected " + value_text(expected) + ": " + why +
                               reason_of_lost_nan(got, expected));
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
    for (const Layout layout : {Layout::dense, Layout::padded}) {
      expect(values_outcome(batch, out, in, layout));
    }
  }
}

TEST_CASE("linear_relu takes long layers, and such as begin anywhere") {
  for (const auto& [batch, out, in] : {std::tuple{1, 4300, 16}, {2200, 1, 32}, {8, 8, 4200}}) {
    expect(values_outcome(batch, out, in, Layout::dense));
  }
  // All of them, and one alone.
  for (const char* const odd : {"xwby", "x", "w", "b", "y"}) {
    expect(outcome_of(make_layer(64, 64, 32, Layout::odd, odd),
                      layer_text(64, 64, 32) + "; of x, w, b (the bias) and y " + odd +
                          " begins at an address that is no multiple of 16 bytes"));
  }
}

TEST_CASE("linear_relu takes rows that are far apart") {
  for (const std::int64_t far_stride : {kFarStride, kFarTileStride, kFarWholeStride}) {
    for (const char far : {'x', 'w', 'y'}) expect(far_outcome(far, far_stride));
  }
}

TEST_CASE("linear_relu reaches all of a large y") {
  const LongBuffer<float> bias;
  const auto of_product = [&](MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
    linear_relu(a, {b.data, b.cols, 1, 1}, bias.data(), c, stream);  // W, a column, is Bᵀ
  };
  expect(matmul_reach_outcome(of_product, 2200, [](const MatmulShape& shape) {
    return values_outcome(shape.m, shape.n, shape.k, Layout::dense);
  }));
}

TEST_CASE("linear_relu takes many whole tiles") {
  const LongBuffer<float> bias;
  expect(many_tiles_outcome([&](MatrixView<const float> a, MatrixView<const float> b,
                                MatrixView<float> c, cudaStream_t stream) {
    linear_relu(a, {b.data, b.cols, b.rows, b.rows}, bias.data(), c, stream);
  }));
}

TEST_CASE("linear_relu keeps NaN and infinity") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr int BATCH = 6, OUT = 5, IN = 7;
  Layer layer = make_layer(BATCH, OUT, IN, Layout::dense);
  const auto x = layer.x.view(), w = layer.w.view();
  for (int c = 0; c < OUT; ++c) w(c, IN - 1) = c % 2 == 0 ? 0.5f : -0.5f;
  w(4, IN - 1) = 0;
  x(1, 2) = kNan;
  x(2, IN - 1) = kInfinity;
  x(3, 0) = 1e30f;
  layer.bias.view()(0, 2) = kInfinity;
  layer.bias.view()(0, 3) = -kInfinity;
  const std::string text = "infinities, NaN, 1e30 and 0 among others";
  if (Outcome outcome = run(layer, text); !outcome.ok) {
    expect(outcome);
    return;
  }
  for (int c = 0; c < OUT; ++c) expect(element_is(layer, 1, c, kNan, "row 1 of x holds a NaN"));
  expect(element_is(layer, 2, 0, kInfinity, "its sum has infinity times 0.5"));
  expect(element_is(layer, 2, 1, 0, "its sum has infinity times -0.5"));
  expect(element_is(layer, 2, 4, kNan, "its sum has infinity times 0"));
  expect(element_is(layer, 0, 2, kInfinity, "its bias is infinity"));
  expect(element_is(layer, 0, 3, 0, "its bias is -infinity"));
  const float huge = layer.y.cview()(3, 0), factor = w(0, 0) * 1e30f;
  expect(std::abs(huge - std::max(factor, 0.0f)) <= 1e25f
             ? Outcome{}
             : failure("values", "y(3, 0) is " + value_text(huge) + "; expected about " +
                                     value_text(factor) + ", or 0 if that is below 0"));
  const auto y = layer.y.cview();
  for (const int r : {0, 4, 5}) {
    for (const int c : {0, 1, 4}) {
      expect(std::isfinite(y(r, c))
                 ? Outcome{}
                 : failure("values", "y(" + std::to_string(r) + ", " + std::to_string(c) + ") is " +
                                         value_text(y(r, c)) + "; expected a number: " + text));
    }
  }
}

TEST_CASE("linear_relu keeps NaN and infinity where it belongs, in layers of many tiles") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr int BATCH = 35, OUT = 34, IN = 33;
  Layer layer = make_layer(BATCH, OUT, IN, Layout::padded);
  const auto x = layer.x.view(), w = layer.w.view(), bias = layer.bias.view();
  // Whole rows and columns of y are NaN, the first and the last of a tile: a thread that has
  // further elements must not stop at one of these.
  x(0, 2) = x(31, IN - 1) = x(BATCH - 1, 0) = kNan;
  w(0, 3) = w(31, 0) = w(OUT - 1, IN - 1) = kNan;
  bias(0, 2) = bias(0, 32) = kNan;
  x(33, IN - 1) = x(8, 0) = kInfinity;
  w(4, IN - 1) = -kInfinity;
  w(20, 1) = kInfinity;
  bias(0, 3) = bias(0, 21) = -kInfinity;
  bias(0, 6) = kInfinity;
  for (int k = 0; k < IN; ++k) x(5, k) = w(22, k) = 0;
  expect(outcome_of(layer, layer_text(BATCH, OUT, IN) + "; infinities, NaN and 0 among others"));
}

TEST_CASE("linear_relu does not skip tiles of zeros, which may meet an infinity") {
  for (const bool zero_x : {false, true}) {
    Layer layer = make_layer(32, 32, 64, Layout::dense);
    (zero_x ? layer.x : layer.w).fill(0);
    (zero_x ? layer.w : layer.x).view()(20, 50) = std::numeric_limits<float>::infinity();
    expect(outcome_of(layer, zero_x ? "x all 0, an infinity in row 20 of w"
                                    : "w all 0, an infinity in row 20 of x"));
  }
}

TEST_CASE("linear_relu takes an infinite weight behind whole tiles") {
  constexpr int BATCH = 6, OUT = 5, IN = 33;
  Layer layer = make_layer(BATCH, OUT, IN, Layout::dense);
  layer.w.view()(1, IN - 1) = std::numeric_limits<float>::infinity();
  for (int r = 0; r < BATCH; ++r) layer.x.view()(r, IN - 1) = 1;
  if (Outcome outcome = run(layer, "an infinity at the end of row 1 of w"); !outcome.ok) {
    expect(outcome);
    return;
  }
  for (int r = 0; r < BATCH; ++r) {
    expect(element_is(layer, r, 1, std::numeric_limits<float>::infinity(),
                      "its sum has infinity times 1, and no infinity times 0"));
  }
}

TEST_CASE("linear_relu refuses shapes that do not fit") {
  const DeviceBuffer<float> bias(8);
  expect(refuses_wrong_layers(
      [&](MatrixView<const float> x, MatrixView<const float> w, MatrixView<float> y,
          cudaStream_t stream) { linear_relu(x, w, bias.data(), y, stream); }));
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};  // batch, out, in
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 4.0 + 4 + 4); };
  for (const Layout layout : {Layout::dense, Layout::longer}) {
    expect_budget("linear_relu", cost(kShape),
                  [=] { return values_outcome(kShape.m, kShape.n, kShape.k, layout); });
  }
  for (const MatmulShape& s : shapes_of_one_tile(kShape, 32)) {
    expect_cost(cost(s), [=] { return values_outcome(s.m, s.n, s.k, Layout::dense); });
  }
}

}  // namespace tut::ch05
