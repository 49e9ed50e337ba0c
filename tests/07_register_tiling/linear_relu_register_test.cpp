#include "07_register_tiling/linear_relu_register.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../layer_shapes.hpp"
#include "exercise_case.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch07 {
namespace {

struct Layer {
  Guarded<float> x, w, bias, y;
};

/// How matrices lie in memory: one row after the other; with odd strides, and off a multiple of 16
/// bytes; with rows that begin at multiples of 16 bytes; with longer rows that begin at multiples
/// of 128 bytes.
enum class Lie { dense, odd, aligned, longer };

/// `shifted`: what lies one element past a multiple of 16 bytes nevertheless: bit 0 for x, 1 for W,
/// 2 for the bias, 3 for y.
Layer make_layer(int batch, int out, int in, Lie lie, unsigned shifted = 0) {
  const auto matrix = [&](int rows, int cols, unsigned bit) {
    const int stride = lie == Lie::dense || rows == 1 ? cols
                       : lie == Lie::odd              ? cols + 1
                       : lie == Lie::longer           ? cols + kLongerRows
                                                      : round_up(cols + 1, 4);
    const bool alone = lie == Lie::dense || lie == Lie::longer;
    const std::size_t guard = alone ? 0 : lie == Lie::odd ? 4097 : 4096;
    return Guarded<float>(rows, cols, stride, guard + ((shifted & bit) != 0 ? 1 : 0));
  };
  Layer layer{matrix(batch, in, 1), matrix(out, in, 2), matrix(1, out, 4), matrix(batch, out, 8)};
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
         MatrixView<float> y) { linear_relu_register(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
}

Outcome values_outcome(int batch, int out, int in, Lie lie, unsigned shifted = 0) {
  Layer layer = make_layer(batch, out, in, lie, shifted);
  const Layer before = layer;
  const std::string text = "batch " + std::to_string(batch) + ", out " + std::to_string(out) +
                           ", in " + std::to_string(in) +
                           ((shifted & 1u) != 0 ? ", x one element past 16 bytes" : "") +
                           ((shifted & 2u) != 0 ? ", W one element past 16 bytes" : "") +
                           ((shifted & 4u) != 0 ? ", the bias one element past 16 bytes" : "") +
                           ((shifted & 8u) != 0 ? ", y one element past 16 bytes" : "");
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;

  const auto w = before.w.cview();
  const MatmulReference reference =
      matmul_reference(to_double_matrix(before.x.cview()),
                       make_matrix<double>(in, out, [&](int k, int c) { return w(c, k); }));
  const auto bias = [&](int c) { return static_cast<double>(before.bias.cview()(0, c)); };
  const auto expected = make_matrix<double>(
      batch, out, [&](int r, int c) { return std::max(0.0, reference.product(r, c) + bias(c)); });
  // The bias is one more term of the sum, in whatever place.
  const auto bound = make_matrix<double>(batch, out, [&](int r, int c) {
    return 2 * std::sqrt(in + 1) * 0x1p-24 * (reference.magnitude(r, c) + std::abs(bias(c)));
  });
  return first_failure(
      {compare(layer.y.cview(), expected, bound, {.name = "y", .shape = text, .pattern = {}}),
       only_inside_changed(before.y, layer.y, "y", text),
       nothing_changed(before.x, layer.x, "x", text), nothing_changed(before.w, layer.w, "w", text),
       nothing_changed(before.bias, layer.bias, "bias", text, true)});
}

/// With the rows of one of the matrices so far apart that offsets are beyond 32 bits, if there is
/// the memory: a few rows, more than two tiles of them, or whole tiles.
Outcome far_rows_outcome(char far, std::int64_t far_stride) {
  const bool tiles = far_stride != kFarStride, whole = far_stride == kFarWholeStride;
  const int many = whole ? kFarWholeRows : kFarRows;
  const int BATCH = tiles && far != 'w' ? many
                    : whole             ? 64
                                        : 5,
            OUT = tiles && far == 'w' ? many
                  : whole             ? 64
                                      : 6,
            IN = whole ? 32 : 40;
  const auto stride = [=](char name, int cols) { return name == far ? far_stride : cols; };
  SparseMatrix<float> x(BATCH, IN, stride('x', IN)), w(OUT, IN, stride('w', IN)),
      y(BATCH, OUT, stride('y', OUT));
  if (!x.is_there() || !w.is_there() || !y.is_there()) return {};
  HostMatrix<float> x_values(BATCH, IN), w_values(OUT, IN);
  fill_small_integers(x_values, 26, 5);
  fill_small_integers(w_values, 27, 5);
  x.upload(x_values);
  w.upload(w_values);
  const DeviceBuffer<float> bias(std::vector<float>(static_cast<std::size_t>(OUT), 1.0f));
  const std::string text = std::string("rows of ") + far + " " + far_text(stride(far, 0));
  const Outcome run = run_far(text, [&](cudaStream_t stream) {
    linear_relu_register(x.cview(), w.cview(), bias.data(), y.view(), stream);
  });
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(BATCH, OUT, [&](int r, int c) {
    double sum = 1;
    for (int k = 0; k < IN; ++k) sum += static_cast<double>(x_values(r, k)) * w_values(c, k);
    return std::max(0.0, sum);
  });
  const auto exact = make_matrix<double>(BATCH, OUT, [](int, int) { return 0.0; });
  return compare(y.download().cview(), expected, exact,
                 {.name = "y", .shape = text, .stride = y.cview().stride});
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

TEST_CASE("linear_relu_register of matrices at odd places") {
  for (const unsigned shifted : {1u, 2u, 4u, 8u}) {
    expect(values_outcome(64, 64, 48, Lie::aligned, shifted));
  }
}

TEST_CASE("linear_relu_register of long shapes") {
  expect(values_outcome(3, 5, 4099, Lie::dense));
  expect(values_outcome(17001, 3, 2, Lie::dense));
  expect(values_outcome(3, 17001, 2, Lie::dense));
}

TEST_CASE("linear_relu_register of rows that lie far apart") {
  for (const std::int64_t far_stride : {kFarStride, kFarTileStride, kFarWholeStride}) {
    for (const char far : {'x', 'w', 'y'}) expect(far_rows_outcome(far, far_stride));
  }
}

TEST_CASE("linear_relu_register reaches all of a large y") {
  const LongBuffer<float> bias;
  const auto of_product = [&](MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
    linear_relu_register(a, {b.data, b.cols, 1, 1}, bias.data(), c, stream);  // W is a column
  };
  expect(matmul_reach_outcome(of_product, 17001, [](const MatmulShape& shape) {
    return values_outcome(shape.m, shape.n, shape.k, Lie::dense);
  }));
  expect(many_tiles_outcome([&](MatrixView<const float> a, MatrixView<const float> b,
                                MatrixView<float> c, cudaStream_t stream) {
    linear_relu_register(a, {b.data, b.cols, b.rows, b.rows}, bias.data(), c, stream);
  }));
}

TEST_CASE("linear_relu_register of infinities and NaN: each reaches its row or column of y") {
  constexpr int BATCH = 66, OUT = 67, IN = 21;
  Layer layer = make_layer(BATCH, OUT, IN, Lie::aligned);
  const HostMatrix<float> x = unusual_values(BATCH, IN, 24), w = unusual_values(OUT, IN, 25);
  layer.x.set(x);
  layer.w.set(w);
  layer.bias.fill(1);
  layer.bias.view()(0, 5) = std::numeric_limits<float>::infinity();
  layer.bias.view()(0, 66) = -std::numeric_limits<float>::infinity();
  const std::string text = "infinities and NaN in x, in W and in the bias";
  Outcome outcome = run(layer, text);
  const auto expected = [&](int r, int c) {
    double sum = layer.bias.cview()(0, c);
    for (int k = 0; k < IN; ++k) sum += static_cast<double>(x(r, k)) * w(c, k);
    return sum < 0 ? 0 : sum;
  };
  const auto exact =
      make_matrix<double>(layer.y.rows(), layer.y.cols(), [](int, int) { return 0.0; });
  expect(outcome.ok ? compare(layer.y.cview(),
                              make_matrix<double>(layer.y.rows(), layer.y.cols(), expected), exact,
                              {.name = "y", .shape = text})
                    : outcome);
}

TEST_CASE("linear_relu_register of zeros: they tell of no infinity that they meet") {
  for (const bool zero_x : {false, true}) {
    Layer layer = make_layer(64, 128, 96, Lie::dense);
    (zero_x ? layer.x : layer.w).fill(0);
    (zero_x ? layer.w : layer.x).view()(40, 50) = std::numeric_limits<float>::infinity();
    const std::string text =
        zero_x ? "x all 0, an infinity in row 40 of W" : "W all 0, an infinity in row 40 of x";
    if (Outcome outcome = run(layer, text); !outcome.ok) {
      expect(outcome);
      return;
    }
    const auto bias = layer.bias.cview();
    const auto expected = make_matrix<double>(64, 128, [&](int r, int c) {
      const bool is_nan = (zero_x ? c : r) == 40;
      return is_nan ? std::nan("") : std::max(0.0, static_cast<double>(bias(0, c)));
    });
    const auto exact = make_matrix<double>(64, 128, [](int, int) { return 0.0; });
    expect(compare(layer.y.cview(), expected, exact, {.name = "y", .shape = text}));
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
                                     value_text(y(1, 0)) + ", " + value_text(y(1, 1))));
}

TEST_CASE("linear_relu_register refuses shapes that do not fit") {
  const DeviceBuffer<float> bias(8);
  expect(refuses_wrong_layers(
      [&](MatrixView<const float> x, MatrixView<const float> w, MatrixView<float> y,
          cudaStream_t stream) { linear_relu_register(x, w, bias.data(), y, stream); }));
}

TEST_CASE("budget") {
  constexpr int BATCH = 64, OUT = 128, IN = 96;
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 8.0 + 0.5 + 4); };
  for (const Lie lie : {Lie::dense, Lie::longer}) {
    expect_budget("linear_relu_register", cost({BATCH, OUT, IN}),
                  [=] { return values_outcome(BATCH, OUT, IN, lie); });
  }
  for (const MatmulShape& s : shapes_of_one_tile({BATCH, OUT, IN}, 64)) {
    expect_cost(cost(s), [=] { return values_outcome(s.m, s.n, s.k, Lie::dense); });
  }
  // Whatever begins at a multiple of 16 bytes is used by the four, where another one does not.
  const auto shifted = [](unsigned which) {
    return [=] { return values_outcome(BATCH, OUT, IN, Lie::aligned, which); };
  };
  for (const unsigned factor : {1u, 2u}) expect_wide_accesses(6, 15, shifted(factor));
  expect_wide_accesses(14, 0, shifted(8));
  // A shape that taller tiles divide, too.
  expect_words({128, OUT, IN}, kFourByFour,
               [] { return values_outcome(128, OUT, IN, Lie::dense); });
}

}  // namespace tut::ch07
