#include "11_hopper/linear_gelu_wgmma.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "hopper_case.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch11 {
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

// TMA takes rows a multiple of 8 elements apart: `extra` is one.
Layer make_layer(int batch, int out, int in, int extra) {
  const std::size_t guard = extra > 0 ? 4096 : 0;
  Layer layer{Guarded<__half>(batch, in, round_up(in, 8) + extra, guard),
              Guarded<__half>(out, in, round_up(in, 8) + 2 * extra, guard),
              Guarded<float>(1, out, out, extra > 0 ? 4097 : 0),
              Guarded<__half>(batch, out, round_up(out, 8) + 3 * extra, guard)};
  fill_random(layer.x, 41);
  fill_random(layer.w, 42);
  fill_random(layer.bias, 43);
  for (Guarded<__half>* image : {&layer.x, &layer.w, &layer.y}) image->set_placement({8, 8});
  return layer;
}

double gelu(double v) { return 0.5 * v * (1 + std::erf(v * std::sqrt(0.5))); }

Outcome layer_outcome(Layer layer, const std::string& text) {
  const Layer before = layer;
  const int batch = before.x.rows(), out = before.w.rows(), in = before.w.cols();
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<const __half> x, MatrixView<const __half> w,
         MatrixView<const float> bias,
         MatrixView<__half> y) { linear_gelu_wgmma(x, w, bias.data, y, stream); },
      layer.x, layer.w, layer.bias, layer.y);
  if (!run.ok) return run;

  const auto w = before.w.cview();
  const MatmulReference reference = matmul_reference(
      to_double_matrix(before.x.cview()),
      make_matrix<double>(in, out, [&](int k, int c) { return to_double(w(c, k)); }));
  const auto bias = [&](int c) { return static_cast<double>(before.bias.cview()(0, c)); };
  const auto value = [&](const auto& of) { return make_matrix<double>(batch, out, of); };
  const auto expected =
      value([&](int r, int c) { return gelu(reference.product(r, c) + bias(c)); });
  const auto bound = value([&](int r, int c) {
    const double sum =
        (2 * std::sqrt(in) + 0.5) * 0x1p-23 * (reference.magnitude(r, c) + std::abs(bias(c)));
    return 1.2 * sum + (0x1p-20 + Precision<__half>::rounding) * std::abs(expected(r, c)) +
           0x1p-30 + Precision<__half>::underflow;
  });
  const auto formula = [&](const auto& of) { return std::function<double(int, int)>(of); };
  const std::vector<Formula> mistakes = {
      {"made without the bias: y = gelu(xW^T + bias)",
       formula([&](int r, int c) { return gelu(reference.product(r, c)); })},
      {"made with the bias behind gelu: y = gelu(xW^T + bias)",
       formula([&](int r, int c) { return gelu(reference.product(r, c)) + bias(c); })},
      {"made without gelu: y = gelu(xW^T + bias)",
       formula([&](int r, int c) { return reference.product(r, c) + bias(c); })},
      {"made with the bias of the column in the block's tile, and not in y: where does that begin?",
       formula([&](int r, int c) { return gelu(reference.product(r, c) + bias(c % 128)); })},
      {"made with the bias of the left one of two neighbours: each column has its own",
       formula([&](int r, int c) { return gelu(reference.product(r, c) + bias(c - c % 2)); })}};
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

// W is zero: y is gelu of the bias, from where it is 0 to where it is the bias.
Outcome gelu_outcome() {
  constexpr int OUT = 160, MIDDLE = OUT / 2;
  Layer layer = make_layer(3, OUT, 16, 0);
  layer.w.fill(__float2half(0.0f));
  for (int c = 0; c < OUT; ++c) {
    const float v = static_cast<float>(c - MIDDLE);
    layer.bias.view()(0, c) = std::abs(v) > 40 ? 25 * v : v / 4;
  }
  return layer_outcome(layer, "W is zero, biases from -2000 to 2000");
}

Outcome far_outcome() {
  constexpr int BATCH = 3, OUT = 8, IN = 16;
  HostMatrix<__half> x(BATCH, IN), w(OUT, IN);
  fill_small_integers(x, 47, 4);
  fill_small_integers(w, 48, 4);
  // With a bias of 64 gelu changes nothing.
  const DeviceBuffer<float> bias(std::vector<float>(1000, 64.0f));
  const auto layer = [&](cudaStream_t stream, MatrixView<const __half> from_x,
                         MatrixView<const __half> from_w, MatrixView<__half> to) {
    linear_gelu_wgmma(from_x, from_w, bias.data(), to, stream);
  };
  const auto expected = make_matrix<double>(BATCH, OUT, [&](int r, int c) {
    double sum = 64;
    for (int k = 0; k < IN; ++k) sum += to_double(x(r, k)) * to_double(w(c, k));
    return to_double(from_float<__half>(static_cast<float>(gelu(sum))));
  });
  return ch09::far_rows_of<__half>(x, w, expected, layer);
}

}  // namespace

TEST_CASE("linear_gelu_wgmma computes gelu(xW^T + bias)") {
  if (!can_run("linear_gelu_wgmma")) return;
  expect(gelu_outcome());
  for (const auto& [batch, out, in] : {std::tuple{64, 64, 64},
                                       {1, 1, 1},
                                       {63, 65, 63},
                                       {65, 63, 65},
                                       {128, 64, 192},
                                       {5, 97, 71},
                                       {1, 40, 65},
                                       {40, 1, 32}}) {
    for (const int extra : {0, 8}) expect(values_outcome(batch, out, in, extra));
  }
  for (const auto& [batch, out, in] : {std::tuple{5000, 17, 3}, {17, 5000, 2}, {3, 5, 4200}}) {
    expect(values_outcome(batch, out, in, 8));
  }
  expect(far_outcome());
}

TEST_CASE("linear_gelu_wgmma refuses what does not fit, and what TMA does not take") {
  if (!can_run("linear_gelu_wgmma")) return;
  const DeviceBuffer<float> bias(64);
  expect(product_refusals_outcome<__half, __half>(
      [&](auto x, auto w, auto y) { linear_gelu_wgmma(x, w, bias.data(), y); }, true, false, 8));
  const DeviceBuffer<__half> memory(4096);
  const __half* data = memory.data();
  const MatrixView<const __half> good{data, 8, 8, 8};
  const MatrixView<__half> y{memory.data() + 1024, 8, 8, 8};
  for (const MatrixView<const __half>& bad :
       {MatrixView<const __half>{data + 1, 8, 8, 8}, {data, 8, 8, 12}}) {
    const auto refuses = [&](const char* what, MatrixView<const __half> x,
                             MatrixView<const __half> w, MatrixView<__half> to) {
      expect(refusal_outcome(std::string(what) + " in a place that TMA does not take",
                             [&] { linear_gelu_wgmma(x, w, bias.data(), to); }));
    };
    refuses("x", bad, good, y);
    refuses("W", good, bad, y);
    refuses("y", good, good, {const_cast<__half*>(bad.data), 8, 8, bad.stride});
  }
  expect(other_devices_outcome([&] { linear_gelu_wgmma(good, good, bias.data(), y); }));
}

TEST_CASE("budget") {
  if (!can_run("linear_gelu_wgmma")) return;
  constexpr int BATCH = 128, OUT = 256, IN = 256;  // which tiles of 128 divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (3 * s.k / 64.0 + 2 + 1); };
  expect_budget("linear_gelu_wgmma", cost({BATCH, OUT, IN}),
                [] { return values_outcome(BATCH, OUT, IN, 0); });
  for (const MatmulShape& s : shapes_of_one_tile({BATCH, OUT, IN}, 128)) {
    expect_cost(cost(s), [=] { return values_outcome(s.m, s.n, s.k, 0); });
  }
  for (const auto& [m, n, k] : ragged_shapes()) {
    expect_tensor_products(wgmma_products(m, n, k),
                           [m = m, n = n, k = k] { return values_outcome(m, n, k, 0); });
  }
}

}  // namespace tut::ch11
