#include "13_convolution/conv2d_transposed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "exercise_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch13 {
namespace {

struct Transposed {
  int n, c, h, w, k, f;
  Conv2dOptions options = {};

  int out_h() const { return (h - 1) * options.stride - 2 * options.padding + f; }
  int out_w() const { return (w - 1) * options.stride - 2 * options.padding + f; }
};

// As the sentence of the contract has it: every pixel puts down a filter.
// `in`, `weights` and `bias` give the elements by their numbers.
template <class In, class Weights, class Bias>
std::vector<test::Sum> expected_sums(const Transposed& s, In in, Weights weights, Bias bias) {
  const int area = s.out_h() * s.out_w();
  std::vector<test::Sum> sums(static_cast<std::size_t>(s.n * s.k * area));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].add(bias(static_cast<int>(i) / area % s.k));
  }
  for (int n = 0; n < s.n; ++n)
    for (int c = 0; c < s.c; ++c)
      for (int a = 0; a < s.h; ++a)
        for (int b = 0; b < s.w; ++b)
          for (int k = 0; k < s.k; ++k)
            for (int i = 0; i < s.f; ++i)
              for (int j = 0; j < s.f; ++j) {
                const int y = a * s.options.stride + i - s.options.padding;
                const int x = b * s.options.stride + j - s.options.padding;
                if (y < 0 || y >= s.out_h() || x < 0 || x >= s.out_w()) continue;
                const int place = ((n * s.k + k) * s.out_h() + y) * s.out_w() + x;
                sums[static_cast<std::size_t>(place)].add(
                    in(((n * s.c + c) * s.h + a) * s.w + b) *
                    weights(((c * s.k + k) * s.f + i) * s.f + j));
              }
  return sums;
}

void start(const Transposed& s, const float* in, const float* weights, const float* bias,
           float* out, cudaStream_t stream) {
  conv2d_transposed({in, s.n, s.c, s.h, s.w}, {weights, s.c, s.k, s.f, s.f}, bias,
                    {out, s.n, s.k, s.out_h(), s.out_w()}, s.options, stream);
}

/// What single pixels and single taps say of the function.
std::string probe_transposed(const Transposed& s) {
  return probe_taps(
      {s.n, s.c, s.h, s.w}, {s.c, s.k, s.f, s.f}, {s.n, s.k, s.out_h(), s.out_w()},
      [&](auto in, auto weights) { return expected_sums(s, in, weights, [](int) { return 0.0; }); },
      [&](auto... arguments) { start(s, arguments...); });
}

// `weight`: the first of the weights, unless it is 0; then the first pixel is 0.
Outcome values_outcome(const Transposed& s, const Setting& setting, float weight = 0.0f) {
  Guarded<float> in = filled<float>(s.n * s.c * s.h, s.w, setting, 61, true);
  Guarded<float> weights = filled<float>(s.c * s.k * s.f, s.f, setting, 62);
  if (weight != 0.0f) {
    weights.view()(0, 0) = weight;
    in.view()(0, 0) = 0.0f;
  }
  Guarded<float> bias = filled<float>(1, s.k, setting, 63);
  Guarded<float> out = tensor<float>(s.n * s.k * s.out_h(), s.out_w(), setting);
  const Guarded<float> in_before = in, weights_before = weights, out_before = out;
  const std::string text = "images " + std::to_string(s.h) + "x" + std::to_string(s.w) + ", side " +
                           std::to_string(s.f) + ", padding " + std::to_string(s.options.padding) +
                           ", stride " + std::to_string(s.options.stride) +
                           (std::isfinite(weight) ? "" : ", an infinite weight and a pixel of 0") +
                           "; a row for each image, filter and y";
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, auto pixels, auto taps, auto added, auto result) {
        start(s, pixels.data, taps.data, added.data, result.data, stream);
      },
      in, weights, bias, out);
  if (!run.ok) return run;
  return first_failure({sums_outcome(out_before, out,
                                     expected_sums(s, elements_of(in_before),
                                                   elements_of(weights_before), elements_of(bias)),
                                     setting, text, 0x1p-24, [&] { return probe_transposed(s); }),
                        nothing_changed(in_before, in, "in", text),
                        nothing_changed(weights_before, weights, "weights", text)});
}

}  // namespace

TEST_CASE("conv2d_transposed puts down a filter for each pixel") {
  for (const Transposed& s :
       {Transposed{1, 2, 3, 4, 3, 3, {0, 2}}, Transposed{1, 1, 1, 1, 1, 1, {}},
        Transposed{2, 3, 5, 4, 2, 3, {}}, Transposed{1, 3, 4, 5, 2, 4, {1, 2}},
        Transposed{2, 2, 7, 3, 3, 5, {2, 3}}, Transposed{1, 1, 6, 11, 1, 2, {0, 4}},
        Transposed{1, 5, 12, 13, 3, 3, {1, 1}}}) {
    expect_in_all_settings([&](const Setting& setting) { return values_outcome(s, setting); });
  }
}

TEST_CASE("conv2d_transposed takes many pixels, filters, images, channels and taps") {
  for (const Transposed& s :
       {Transposed{1, 1, 2, 20000, 1, 3, {0, 2}}, Transposed{1, 1, 1, 1, 300, 1, {}},
        Transposed{300, 1, 1, 1, 1, 1, {}}, Transposed{1, 700, 3, 3, 2, 2, {}},
        Transposed{1, 1, 3, 2, 1, 33, {1, 2}}, Transposed{1, 2, 1, 1, 2, 3, {1, 1 << 20}},
        // The weights of a filter: more than shared memory holds.
        Transposed{1, 60000, 1, 1, 1, 1, {}}}) {
    expect(values_outcome(s, dense_uniform));
  }
}

TEST_CASE("conv2d_transposed with any side, stride and padding together") {
  for (const int side : {1, 2, 3, 4}) {
    for (const int stride : {1, 2, 3, 5}) {
      for (const int padding : {0, 1, 2, 4, 7}) {
        const Transposed s{1, 2, 6, 5, 2, side, {padding, stride}};
        if (s.out_w() < 1) continue;  // all of it is cut off
        expect(values_outcome(s, dense_uniform));
      }
    }
  }
}

TEST_CASE("conv2d_transposed of as many pixels, filters, or images, as there may be") {
  const auto reach = [](const std::function<Transposed(int)>& shape_of, int tried, int most) {
    return shape_reach_outcome(
        shape_of, start, [](const Transposed& s) { return values_outcome(s, dense_uniform); },
        tried, most);
  };
  expect(reach([](int n) { return Transposed{1, 1, 1, n, 1, 3, {1, 1}}; }, 40000, kLongSize));
  expect(reach([](int n) { return Transposed{1, 1, n, 1, 1, 1, {}}; }, 1, kLongSize));
  expect(reach([](int n) { return Transposed{1, 1, 1, 1, n, 1, {}}; }, 300, 65535));
  expect(reach([](int n) { return Transposed{n, 1, 1, 1, 1, 1, {}}; }, 300, 65535));
  for (const int cols : {30011, 7}) {
    expect(large_image_outcome(
        cols, [](int h, int w) { return Transposed{1, 1, h, w, 1, 1, {}}; }, start,
        [](const Transposed& s) { return values_outcome(s, dense_uniform); }));
  }
  // More planes than a grid has blocks along y or z.
  expect(reach([](int n) { return Transposed{300, 1, 1, 1, n, 1, {}}; }, 1, 65535));
}

TEST_CASE("an infinite weight reaches the elements that have a pixel under it, and no others") {
  constexpr float INFINITE = std::numeric_limits<float>::infinity();
  for (const Transposed& s :
       {Transposed{1, 1, 2, 2, 1, 3, {0, 2}}, Transposed{2, 2, 3, 4, 2, 3, {1, 1}}}) {
    expect(values_outcome(s, dense_uniform, INFINITE));
  }
}

TEST_CASE("conv2d_transposed refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(100);
  float* data = memory.data();
  CHECK_THROWS_AS(
      conv2d_transposed({data, 1, 1, 3, 3}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 6, 6}, {0, 2}),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_transposed({data, 1, 1, 3, 3}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 7, 7}, {-1, 1}),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_transposed({data, 1, 1, 1, 1}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 3, 3}, {0, 0}),
      std::invalid_argument);
  // Sides of 2^32 + 3.
  CHECK_THROWS_AS(conv2d_transposed({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data,
                                    {data, 1, 1, 3, 3}, {0, 1 << 30}),
                  std::invalid_argument);
  expect(
      refusals_outcome<TensorView<float>>({{{2, 2, 3, 4}, {2, 3, 3, 3}, {2, 3, 3, 5}}},
                                          {{{{0, 2, 3, 4}, {2, 3, 3, 3}, {0, 3, 3, 5}}},
                                           {{{2, 2, 3, 4}, {2, 0, 3, 3}, {2, 0, 3, 5}}},
                                           {{{2, 0, 3, 4}, {0, 3, 3, 3}, {2, 3, 3, 5}}},
                                           {{{2, 2, 2, 4}, {2, 3, 2, 2}, {2, 3, 0, 4}}}},
                                          [](auto in, auto weights, const float* bias, auto out) {
                                            conv2d_transposed(in, weights, bias, out, {2, 2});
                                          }));
}

TEST_CASE("budget") {
  constexpr int CHANNELS = 3, FILTERS = 4, SIDE = 3, EDGE = 32;
  const double cost = FILTERS * EDGE * EDGE * (5.0 * CHANNELS * SIDE * SIDE + 5);
  expect_budget("conv2d_transposed", cost, [] {
    return values_outcome({1, CHANNELS, EDGE, EDGE, FILTERS, SIDE, {1, 1}}, dense_uniform);
  });
}

TEST_CASE("the sides of a transposed convolution undo those of a convolution") {
  for (const int filter : {1, 3, 4}) {
    for (const int stride : {1, 2, 3}) {
      const int large = transposed_side(7, filter, 0, stride);
      CHECK(ConvolutionShape{1, 1, large, large, 1, filter, 0, stride}.out_h() == 7);
    }
  }
}

}  // namespace tut::ch13
