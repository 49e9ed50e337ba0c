#include "13_convolution/conv2d_depthwise.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>

#include "exercise_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch13 {
namespace {

/// `in`, `weights` and `bias` give the elements by their numbers.
template <class In, class Weights, class Bias>
std::vector<test::Sum> expected_sums(const ConvolutionShape& s, In in, Weights weights, Bias bias) {
  std::vector<test::Sum> sums;
  for (int plane = 0; plane < s.n * s.c; ++plane)
    for (int y = 0; y < s.out_h(); ++y)
      for (int x = 0; x < s.out_w(); ++x) {
        test::Sum& sum = sums.emplace_back();
        sum.add(bias(plane % s.c));
        for (int i = 0; i < s.f; ++i)
          for (int j = 0; j < s.f; ++j) {
            const int in_y = y + i - s.padding, in_x = x + j - s.padding;
            if (in_y < 0 || in_y >= s.h || in_x < 0 || in_x >= s.w) continue;
            sum.add(in((plane * s.h + in_y) * s.w + in_x) *
                    weights((plane % s.c * s.f + i) * s.f + j));
          }
      }
  return sums;
}

void start(const ConvolutionShape& s, const float* in, const float* weights, const float* bias,
           float* out, cudaStream_t stream) {
  conv2d_depthwise({in, s.n, s.c, s.h, s.w}, {weights, s.c, 1, s.f, s.f}, bias,
                   {out, s.n, s.c, s.out_h(), s.out_w()}, s.padding, stream);
}

/// What single pixels and single taps say of the function.
std::string probe_depthwise(const ConvolutionShape& s) {
  return probe_taps(
      {s.n, s.c, s.h, s.w}, {s.c, 1, s.f, s.f}, {s.n, s.c, s.out_h(), s.out_w()},
      [&](auto in, auto weights) { return expected_sums(s, in, weights, [](int) { return 0.0; }); },
      [&](auto... arguments) { start(s, arguments...); });
}

Outcome values_outcome(const ConvolutionShape& s, const Setting& setting) {
  Guarded<float> in = filled<float>(s.n * s.c * s.h, s.w, setting, 51, true);
  Guarded<float> weights = filled<float>(s.c * s.f, s.f, setting, 52);
  Guarded<float> bias = filled<float>(1, s.c, setting, 53);
  Guarded<float> out = tensor<float>(s.n * s.c * s.out_h(), s.out_w(), setting);
  const Guarded<float> in_before = in, weights_before = weights, out_before = out;
  const std::string text = "images " + std::to_string(s.h) + "x" + std::to_string(s.w) + ", " +
                           std::to_string(s.c) + " channels, side " + std::to_string(s.f) +
                           ", padding " + std::to_string(s.padding) +
                           "; a row for each image, channel and y";
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
                                     setting, text, 0x1p-24, [&] { return probe_depthwise(s); }),
                        nothing_changed(in_before, in, "in", text),
                        nothing_changed(weights_before, weights, "weights", text)});
}

}  // namespace

TEST_CASE("conv2d_depthwise computes the definition") {
  for (const ConvolutionShape& s :
       {ConvolutionShape{1, 2, 10, 34, 2, 3}, ConvolutionShape{1, 1, 1, 1, 1, 1},
        ConvolutionShape{2, 3, 9, 33, 3, 3, 1}, ConvolutionShape{1, 2, 17, 65, 2, 5, 2},
        ConvolutionShape{1, 3, 7, 31, 3, 7, 3}, ConvolutionShape{2, 1, 5, 4, 1, 2, 0},
        ConvolutionShape{1, 1, 2, 3, 1, 3, 2}, ConvolutionShape{3, 5, 13, 11, 5, 4, 1}}) {
    expect_in_all_settings([&](const Setting& setting) { return values_outcome(s, setting); });
  }
}

TEST_CASE("conv2d_depthwise takes many pixels, channels and images") {
  for (const ConvolutionShape& s :
       {ConvolutionShape{1, 1, 3, 12000, 1, 3}, ConvolutionShape{1, 1, 3000, 2, 1, 2},
        ConvolutionShape{1, 300, 1, 1, 300, 1}, ConvolutionShape{300, 1, 1, 1, 1, 1}}) {
    expect(values_outcome(s, dense_uniform));
  }
}

TEST_CASE("conv2d_depthwise refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(400);
  float* data = memory.data();
  CHECK_THROWS_AS(
      conv2d_depthwise({data, 1, 2, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 2, 3, 3}, 0),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_depthwise({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 1, 1}, -1),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_depthwise({data, 1, 1, 9, 9}, {data, 1, 1, 8, 8}, data, {data, 1, 1, 2, 2}, 0),
      std::invalid_argument);
  expect(
      refusals_outcome<TensorView<float>>({{{2, 3, 6, 5}, {3, 1, 3, 3}, {2, 3, 6, 5}}},
                                          {{{{0, 3, 6, 5}, {3, 1, 3, 3}, {0, 3, 6, 5}}},
                                           {{{2, 0, 6, 5}, {0, 1, 3, 3}, {2, 0, 6, 5}}},
                                           {{{2, 3, 1, 5}, {3, 1, 4, 4}, {2, 3, 0, 4}}}},
                                          [](auto in, auto weights, const float* bias, auto out) {
                                            conv2d_depthwise(in, weights, bias, out, 1);
                                          }));
}

TEST_CASE("conv2d_depthwise with any side and padding together") {
  for (int side = 1; side <= depthwise_max_side; ++side) {
    for (const int padding : {0, 1, 3, 7, 9}) {
      const ConvolutionShape s{1, 2, 3, 30, 2, side, padding};
      if (s.out_h() > 0) expect(values_outcome(s, dense_uniform));
    }
  }
}

TEST_CASE("conv2d_depthwise of as many rows, columns, channels, or images, as there may be") {
  const auto reach = [](const std::function<ConvolutionShape(int)>& shape_of, int tried, int most) {
    return shape_reach_outcome(
        shape_of, start, [](const ConvolutionShape& s) { return values_outcome(s, dense_uniform); },
        tried, most);
  };
  // A filter that makes neighbouring threads use the same pixels: a block that goes round has to
  // wait for all of them.
  expect(reach([](int n) { return ConvolutionShape{1, 1, n, 1, 1, 3, 1}; }, 3000, (1 << 19) - 8));
  expect(reach([](int n) { return ConvolutionShape{1, 1, 1, n, 1, 3, 1}; }, 12000, kLongSize));
  expect(reach([](int n) { return ConvolutionShape{1, n, 1, 1, n, 3, 1}; }, 300, 65535));
  expect(reach([](int n) { return ConvolutionShape{n, 1, 1, 1, 1, 3, 1}; }, 300, 65535));
  for (const int cols : {30011, 2003}) {
    expect(large_image_outcome(
        cols, [](int h, int w) { return ConvolutionShape{1, 1, h, w, 1, 1}; }, start,
        [](const ConvolutionShape& s) { return values_outcome(s, dense_uniform); }));
  }
}

TEST_CASE("budget") {
  constexpr int OUT_H = 32, OUT_W = 64;  // which tiles of up to 32 rows divide
  for (const int side : {3, 1, 2, 6, 7}) {
    const int channels = side > 3 ? 1 : 2, tiles = channels * OUT_H / 8 * OUT_W / 32;
    const double tile = 4.0 * (side + 7) * (side + 31) + 1024 + 8 * (4.0 * side * side + 64);
    expect_budget("conv2d_depthwise", tiles * tile, [&] {
      return values_outcome({1, channels, OUT_H + side - 1, OUT_W + side - 1, channels, side},
                            dense_uniform);
    });
  }
}

}  // namespace tut::ch13
