#include "12_mixed_precision/gated_linear_bf16.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../09_wmma/tensor_core_case.hpp"
#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/budget/budget.hpp"
#include "tut/trial/device_case.hpp"
#include "tut/trial/far_case.hpp"

namespace tut::ch12 {
namespace {

using Number = __nv_bfloat16;

bool is_skipped() {
  if (has_tf32_and_bfloat16()) return false;
  MESSAGE("skipped: this device has no bfloat16 (compute capability below 8.0)");
  return true;
}

struct Layer {
  Guarded<Number> x, gate, up, y;
};

/// `extra` elements lie between rows of x, more in the others; a multiple of 8 leaves them in reach
/// of vectors, unless the matrix is the one that begins an element behind a multiple of 16 bytes.
struct Case {
  MatmulShape shape;
  int extra = 0;
  const char* shifted = "";
};

Layer make_layer(const Case& test) {
  const auto& [m, n, k] = test.shape;
  const auto image = [&](const std::string& name, int rows, int cols, int times) {
    const std::size_t guard = test.extra > 0 ? 4096 : 0;
    return Guarded<Number>(rows, cols, cols + times * test.extra,
                           guard + (name == test.shifted ? 1 : 0));
  };
  return {image("x", m, k, 1), image("G", n, k, 2), image("U", n, k, 3), image("y", m, n, 4)};
}

void fill_random(Guarded<Number>& image, std::uint64_t seed) {
  HostMatrix<Number> values(image.rows(), image.cols());
  fill_uniform(values, seed);
  image.set(values);
}

Layer random_layer(const Case& test) {
  Layer layer = make_layer(test);
  fill_random(layer.x, 81);
  fill_random(layer.gate, 82);
  fill_random(layer.up, 83);
  return layer;
}

std::string text_of(const Case& test) {
  const auto& [m, n, k] = test.shape;
  return "x " + std::to_string(m) + "x" + std::to_string(k) + ", G and U " + std::to_string(n) +
         "x" + std::to_string(k) + ", " + std::to_string(test.extra) +
         " elements between rows of x" +
         (*test.shifted == 0
              ? ""
              : std::string(", ") + test.shifted + " one element behind a multiple of 16 bytes");
}

Outcome run(Layer& layer, const std::string& text) {
  return run_on_device(
      {.most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<const Number> x, MatrixView<const Number> gate,
         MatrixView<const Number> up,
         MatrixView<Number> y) { gated_linear_bf16(x, gate, up, y, stream); },
      layer.x, layer.gate, layer.up, layer.y);
}

double silu(double t) { return t / (1 + std::exp(-t)); }
double rounded_to_bfloat16(double t) {
  return to_double(from_float<Number>(static_cast<float>(t)));
}

HostMatrix<double> transposed(const HostMatrix<double>& matrix) {
  return make_matrix<double>(matrix.cols(), matrix.rows(),
                             [&](int r, int c) { return matrix(c, r); });
}

/// Both sums of a layer.
struct Reference {
  explicit Reference(const Layer& layer)
      : gate(product(layer, layer.gate)), up(product(layer, layer.up)) {}
  MatmulReference gate, up;

  double g(int r, int c) const { return gate.product(r, c); }
  double u(int r, int c) const { return up.product(r, c); }
  HostMatrix<double> result() const {
    return make_matrix<double>(gate.product.rows(), gate.product.cols(),
                               [&](int r, int c) { return silu(g(r, c)) * u(r, c); });
  }

 private:
  static MatmulReference product(const Layer& layer, const Guarded<Number>& weights) {
    return matmul_reference(to_double_matrix(layer.x.cview()),
                            transposed(to_double_matrix(weights.cview())));
  }
};

/// `exact`: y is rounded, and nothing else.
std::string pattern_of(const Mismatch& mismatch, const Reference& sums, bool exact) {
  std::vector<Formula> mistakes = {
      {"made without silu: y = silu(xG^T) * xU^T",
       [&](int r, int c) { return sums.g(r, c) * sums.u(r, c); }},
      {"made of silu(xU^T) * xG^T: the two weights are exchanged",
       [&](int r, int c) { return silu(sums.u(r, c)) * sums.g(r, c); }},
      {"made with the sigmoid 1 / (1 + exp(-t)) in place of silu, which is t times that",
       [&](int r, int c) { return sums.u(r, c) / (1 + std::exp(-sums.g(r, c))); }},
      {"made with silu of -t: silu(t) = t / (1 + exp(-t))",
       [&](int r, int c) { return sums.g(r, c) / (1 + std::exp(sums.g(r, c))) * sums.u(r, c); }},
      {"made of G for both products",
       [&](int r, int c) { return silu(sums.g(r, c)) * sums.g(r, c); }},
      {"made of U for both products",
       [&](int r, int c) { return silu(sums.u(r, c)) * sums.u(r, c); }},
      {"made of sums that were rounded to bfloat16 before they were joined: round once, at the "
       "end",
       [&](int r, int c) {
         return silu(rounded_to_bfloat16(sums.g(r, c))) * rounded_to_bfloat16(sums.u(r, c));
       }}};
  for (Formula& mistake : mistakes) {
    if (!exact) break;
    mistake.value = [value = mistake.value](int r, int c) {
      return rounded_to_bfloat16(value(r, c));
    };
  }
  return formula_pattern(mismatch, mistakes);
}

/// `exact`: y is what FP32 makes without any error, rounded once.
Outcome outcome_of(Layer layer, const std::string& text, bool exact = false) {
  const Layer before = layer;
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;
  const Reference sums(before);
  HostMatrix<double> expected = sums.result();
  const HostMatrix<double> of_gate = matmul_bound(sums.gate, {.accumulation = 0x1p-23}),
                           of_up = matmul_bound(sums.up, {.accumulation = 0x1p-23});
  const auto bound = make_matrix<double>(expected.rows(), expected.cols(), [&](int r, int c) {
    if (exact) return 0.0;
    const double g = sums.g(r, c), u = sums.u(r, c), y = std::abs(expected(r, c));
    const double off = 1.1 * of_gate(r, c) * (std::abs(u) + of_up(r, c)) +
                       std::abs(silu(g)) * of_up(r, c) + 0x1p-20 * y;
    return off + Precision<Number>::rounding * (y + off) + 0x1p-130;
  });
  if (exact) {
    for (int r = 0; r < expected.rows(); ++r) {
      for (int c = 0; c < expected.cols(); ++c)
        expected(r, c) = rounded_to_bfloat16(expected(r, c));
    }
  }
  return first_failure(
      {compare(layer.y.cview(), expected, bound,
               {.name = "y",
                .shape = text,
                .pattern =
                    [&](const Mismatch& mismatch) { return pattern_of(mismatch, sums, exact); }}),
       only_inside_changed(before.y, layer.y, "y", text),
       nothing_changed(before.x, layer.x, "x", text),
       nothing_changed(before.gate, layer.gate, "G", text),
       nothing_changed(before.up, layer.up, "U", text)});
}

Outcome random_outcome(const Case& test) { return outcome_of(random_layer(test), text_of(test)); }

void fill_integers(Guarded<Number>& image, std::uint64_t seed, int limit) {
  HostMatrix<Number> values(image.rows(), image.cols());
  fill_small_integers(values, seed, limit);
  image.set(values);
}

/// Small integers, but for the first of each row of x, which is 1, and of G, which is 100: g is so
/// large that silu(g) is g, and y is a whole number, rounded once.
Outcome exact_outcome(const Case& test) {
  Layer layer = make_layer(test);
  fill_integers(layer.x, 84, 1);
  fill_integers(layer.gate, 85, 1);
  fill_integers(layer.up, 86, 3);
  for (int r = 0; r < layer.x.rows(); ++r) layer.x.view()(r, 0) = from_float<Number>(1);
  for (int r = 0; r < layer.gate.rows(); ++r) layer.gate.view()(r, 0) = from_float<Number>(100);
  return outcome_of(std::move(layer), text_of(test) + ", g of 60 and more, whole numbers", true);
}

/// Sums and products that half cannot hold, large and small.
Outcome sizes_outcome(float of_x, float of_gate, float of_up) {
  const Case test{{33, 40, 37}, 3};
  Layer layer = random_layer(test);
  const auto scale = [](Guarded<Number>& image, float factor) {
    for (int r = 0; r < image.rows(); ++r) {
      for (int c = 0; c < image.cols(); ++c) {
        image.view()(r, c) =
            from_float<Number>(factor * static_cast<float>(to_double(image.cview()(r, c))));
      }
    }
  };
  scale(layer.x, of_x);
  scale(layer.gate, of_gate);
  scale(layer.up, of_up);
  return outcome_of(std::move(layer), text_of(test) + ", numbers that half cannot hold");
}

Outcome nan_outcome(int m, int n) {
  const Case test{{m, n, 64}, 8};
  Layer layer = random_layer(test);
  const Layer plain = layer;
  const Number not_a_number = from_float<Number>(std::nanf(""));
  layer.x.view()(3, 63) = not_a_number;
  layer.gate.view()(5, 0) = not_a_number;
  layer.up.view()(n - 1, 17) = not_a_number;
  const std::string text = text_of(test) + ", NaN in row 3 of x, row 5 of G and the last row of U";
  if (Outcome outcome = run(layer, text); !outcome.ok) return outcome;
  const HostMatrix<double> numbers = Reference(plain).result();
  const auto expected = make_matrix<double>(m, n, [&](int r, int c) {
    return r == 3 || c == 5 || c == n - 1 ? std::nan("") : numbers(r, c);
  });
  const auto bound = make_matrix<double>(
      m, n, [&](int r, int c) { return 0x1p-7 * (0.1 + std::abs(numbers(r, c))); });
  return compare(layer.y.cview(), expected, bound, {.name = "y", .shape = text, .pattern = {}});
}

/// The rows of one of the matrices lie so far apart that offsets are beyond 32 bits.
Outcome far_outcome(const std::string& far, int rows, std::int64_t far_stride) {
  const int m = far == "x" || far == "y" ? rows : 5, n = far == "G" || far == "U" ? rows : 6,
            k = 40;
  const auto matrix = [&](const std::string& name, int count, int cols) {
    return SparseMatrix<Number>(count, cols, far == name ? far_stride : cols);
  };
  SparseMatrix<Number> x = matrix("x", m, k), gate = matrix("G", n, k), up = matrix("U", n, k),
                       y = matrix("y", m, n);
  if (!x.is_there() || !gate.is_there() || !up.is_there() || !y.is_there()) return {};
  const Layer layer = random_layer({{m, n, k}});
  const auto upload = [](SparseMatrix<Number>& to, const Guarded<Number>& from) {
    to.upload(make_matrix<Number>(from.rows(), from.cols(),
                                  [&](int r, int c) { return from.cview()(r, c); }));
  };
  upload(x, layer.x);
  upload(gate, layer.gate);
  upload(up, layer.up);
  upload(y, layer.y);
  const std::string text = text_of({{m, n, k}}) + ", rows of " + far + " " + far_text(far_stride);
  Outcome run = run_far(text, [&](cudaStream_t stream) {
    gated_linear_bf16(x.cview(), gate.cview(), up.cview(), y.view(), stream);
  });
  if (!run.ok) return run;
  const HostMatrix<double> expected = Reference(layer).result();
  const auto bound = make_matrix<double>(
      m, n, [&](int r, int c) { return 0x1p-7 * (0.1 + std::abs(expected(r, c))); });
  return compare(y.download().cview(), expected, bound,
                 {.name = "y", .shape = text, .stride = y.cview().stride, .pattern = {}});
}

double cost(const MatmulShape& s) { return s.m * s.n * (s.k / 16.0 + 2); }

}  // namespace

TEST_CASE("gated_linear_bf16 of whole numbers is exact, and rounded once") {
  if (is_skipped()) return;
  for (const MatmulShape& shape :
       {MatmulShape{128, 64, 32}, {1, 1, 1}, {63, 65, 31}, {129, 63, 33}, {5, 131, 40}}) {
    for (const int extra : {1, 8}) expect(exact_outcome({shape, extra}));
  }
}

TEST_CASE("gated_linear_bf16 computes silu(xG^T) * xU^T") {
  if (is_skipped()) return;
  for (const MatmulShape& shape : {MatmulShape{128, 128, 64},
                                   {65, 63, 95},
                                   {1, 40, 65},
                                   {40, 1, 32},
                                   {2, 70, 1},
                                   {17, 47, 129}}) {
    for (const int extra : {0, 1, 8}) expect(random_outcome({shape, extra}));
  }
}

TEST_CASE("gated_linear_bf16 of matrices at odd places") {
  if (is_skipped()) return;
  for (const char* shifted : {"x", "G", "U", "y"}) {
    expect(random_outcome({{64, 128, 64}, 8, shifted}));
  }
}

TEST_CASE("gated_linear_bf16 of long shapes") {
  if (is_skipped()) return;
  for (const MatmulShape& shape : {MatmulShape{3, 5, 1100}, {2201, 3, 2}, {3, 2201, 2}}) {
    expect(random_outcome({shape}));
  }
}

TEST_CASE("gated_linear_bf16 of numbers of any size") {
  if (is_skipped()) return;
  expect(sizes_outcome(1e10f, 1e10f, 1e-10f));
  expect(sizes_outcome(1e-6f, 1.0f, 1e20f));
  expect(sizes_outcome(1e6f, 1.0f, 1.0f));
}

TEST_CASE("gated_linear_bf16 passes NaN on, each to its row or column") {
  if (is_skipped()) return;
  expect(nan_outcome(64, 64));
  expect(nan_outcome(37, 50));
}

TEST_CASE("gated_linear_bf16 of rows that lie far apart") {
  if (is_skipped()) return;
  for (const char* far : {"x", "G", "U", "y"}) {
    expect(far_outcome(far, 5, kFarStride));
    expect(far_outcome(far, kFarRows, kFarTileStride));
    expect(far_outcome(far, 256, kFarWholeStride + 64));
  }
}

TEST_CASE("gated_linear_bf16 of as many rows, columns and elements as there may be") {
  if (is_skipped()) return;
  expect(ch09::tensor_reach_outcome<Number, Number>(
      [](cudaStream_t stream, int m, int n, const Number* x, const Number* w, Number* y) {
        gated_linear_bf16({x, m, 1, 1}, {w, n, 1, 1}, {w, n, 1, 1}, {y, m, n, n}, stream);
      },
      [](const MatmulShape& shape) { return random_outcome({shape}); }, 2201));
}

TEST_CASE("gated_linear_bf16 refuses shapes that do not fit") {
  if (is_skipped()) return;
  expect(product_refusals_outcome<Number, Number>(
      [](auto x, auto w, auto y) { gated_linear_bf16(x, w, w, y); }, true));
  const DeviceBuffer<Number> memory(256);
  const Number* data = memory.data();
  const MatrixView<const Number> x{data, 4, 5, 5}, w{data, 7, 5, 5}, taller{data, 8, 5, 5},
      wider{data, 7, 6, 6}, strange{data, 7, 5, 4};
  for (const auto& [what, gate, up] : {std::tuple{"U with 8 rows where 7 fit", w, taller},
                                       {"G with 8 rows where 7 fit", taller, w},
                                       {"U with 6 columns where 5 fit", w, wider},
                                       {"U of stride 4", w, strange}}) {
    expect(refusal_outcome(what, [&, g = gate, u = up] {
      const DeviceBuffer<Number> y(64);
      gated_linear_bf16(x, g, u, {y.data(), 4, 7, 7});
    }));
  }
}

TEST_CASE("budget") {
  if (is_skipped()) return;
  constexpr MatmulShape SHAPE{128, 128, 128};
  for (const int extra : {0, 64}) {
    expect_budget("gated_linear_bf16", cost(SHAPE), [=] { return random_outcome({SHAPE, extra}); });
  }
  for (const MatmulShape& s : shapes_of_one_tile(SHAPE, 64)) {
    expect_cost(cost(s), [=] { return random_outcome({s}); });
  }
  for (const MatmulShape& s : ragged_shapes()) {
    expect_tensor_products(2 * fragment_products(s.m, s.n, s.k),
                           [=] { return random_outcome({s}); });
  }
}

}  // namespace tut::ch12
