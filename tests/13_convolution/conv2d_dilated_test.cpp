#include "13_convolution/conv2d_dilated.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "exercise_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch13 {
namespace {

struct Dilated {
  int n, c, h, w, k, f, dilation;
  Conv2dOptions options = {};

  int out_side(int side) const {
    return (side + 2 * options.padding - ((f - 1) * dilation + 1)) / options.stride + 1;
  }
  int out_h() const { return out_side(h); }
  int out_w() const { return out_side(w); }
};

/// `in`, `weights` and `bias` give the elements by their numbers.
template <class In, class Weights, class Bias>
std::vector<test::Sum> expected_sums(const Dilated& s, In in, Weights weights, Bias bias) {
  std::vector<test::Sum> sums;
  for (int n = 0; n < s.n; ++n)
    for (int k = 0; k < s.k; ++k)
      for (int y = 0; y < s.out_h(); ++y)
        for (int x = 0; x < s.out_w(); ++x) {
          test::Sum& sum = sums.emplace_back();
          sum.add(bias(k));
          for (int c = 0; c < s.c; ++c)
            for (int i = 0; i < s.f; ++i)
              for (int j = 0; j < s.f; ++j) {
                const int in_y = y * s.options.stride + i * s.dilation - s.options.padding;
                const int in_x = x * s.options.stride + j * s.dilation - s.options.padding;
                if (in_y < 0 || in_y >= s.h || in_x < 0 || in_x >= s.w) continue;
                sum.add(in(((n * s.c + c) * s.h + in_y) * s.w + in_x) *
                        weights(((k * s.c + c) * s.f + i) * s.f + j));
              }
        }
  return sums;
}

void start(const Dilated& s, const float* in, const float* weights, const float* bias, float* out,
           cudaStream_t stream) {
  conv2d_dilated({in, s.n, s.c, s.h, s.w}, {weights, s.k, s.c, s.f, s.f}, bias,
                 {out, s.n, s.k, s.out_h(), s.out_w()}, s.options, s.dilation, stream);
}

/// What single pixels and single taps say of the function.
std::string probe_dilated(const Dilated& s) {
  return probe_taps(
      {s.n, s.c, s.h, s.w}, {s.k, s.c, s.f, s.f}, {s.n, s.k, s.out_h(), s.out_w()},
      [&](auto in, auto weights) { return expected_sums(s, in, weights, [](int) { return 0.0; }); },
      [&](auto... arguments) { start(s, arguments...); });
}

Outcome values_outcome(const Dilated& s, const Setting& setting) {
  Guarded<float> in = filled<float>(s.n * s.c * s.h, s.w, setting, 41, true);
  Guarded<float> weights = filled<float>(s.k * s.c * s.f, s.f, setting, 42);
  Guarded<float> bias = filled<float>(1, s.k, setting, 43);
  Guarded<float> out = tensor<float>(s.n * s.k * s.out_h(), s.out_w(), setting);
  const Guarded<float> in_before = in, weights_before = weights, out_before = out;
  const std::string text = "images " + std::to_string(s.h) + "x" + std::to_string(s.w) + ", side " +
                           std::to_string(s.f) + ", dilation " + std::to_string(s.dilation) +
                           ", padding " + std::to_string(s.options.padding) + ", stride " +
                           std::to_string(s.options.stride) +
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
                                     setting, text, 0x1p-24, [&] { return probe_dilated(s); }),
                        nothing_changed(in_before, in, "in", text),
                        nothing_changed(weights_before, weights, "weights", text)});
}

}  // namespace

TEST_CASE("conv2d_dilated computes the definition") {
  for (const Dilated& s :
       {Dilated{2, 3, 9, 8, 4, 3, 2, {}}, Dilated{1, 1, 1, 1, 1, 1, 3, {}},
        Dilated{1, 2, 7, 9, 3, 3, 1, {1, 1}}, Dilated{2, 2, 11, 7, 3, 2, 3, {2, 1}},
        Dilated{1, 3, 13, 17, 2, 3, 4, {4, 2}}, Dilated{1, 1, 16, 9, 1, 5, 2, {0, 3}},
        Dilated{3, 2, 12, 12, 2, 3, 2, {2, 1}},
        // More padding than the filter spans: outputs that see none of the image.
        Dilated{1, 2, 4, 5, 2, 1, 2, {1, 1}}, Dilated{1, 1, 3, 4, 1, 2, 3, {7, 2}},
        Dilated{1, 1, 5, 4, 2, 3, 2, {6, 1}}}) {
    expect_in_all_settings([&](const Setting& setting) { return values_outcome(s, setting); });
  }
}

TEST_CASE("conv2d_dilated takes many pixels, filters, images, channels and taps") {
  for (const Dilated& s : {Dilated{1, 1, 5, 40000, 1, 3, 2, {}}, Dilated{1, 1, 1, 1, 300, 1, 1, {}},
                           Dilated{300, 1, 1, 1, 1, 1, 1, {}}, Dilated{1, 700, 3, 3, 2, 2, 2, {}},
                           Dilated{1, 1, 67, 66, 1, 33, 2, {}},
                           // Taps far apart: the square of their span is beyond 2^31.
                           Dilated{1, 1, 1, 1, 1, 2, 50000, {50000, 50000}},
                           Dilated{1, 1, 1, 2, 1, 2, 1 << 22, {1 << 22, 1 << 21}},
                           // The weights of a filter: more than shared memory holds.
                           Dilated{1, 60000, 1, 1, 1, 1, 1, {}}}) {
    expect(values_outcome(s, dense_uniform));
  }
}

TEST_CASE("conv2d_dilated with any side, dilation, stride and padding together") {
  for (const int side : {1, 2, 3, 4}) {
    for (const int dilation : {1, 2, 3}) {
      for (const int stride : {1, 2, 3, 5}) {
        for (const int padding : {0, 1, 4, 10}) {
          const Dilated s{1, 2, 7, 6, 2, side, dilation, {padding, stride}};
          if ((side - 1) * dilation + 1 > 6 + 2 * padding) continue;  // fits nowhere
          expect(values_outcome(s, dense_uniform));
        }
      }
    }
  }
}

TEST_CASE("conv2d_dilated of as many pixels, filters, or images, as there may be") {
  const auto reach = [](const std::function<Dilated(int)>& shape_of, int tried, int most) {
    return shape_reach_outcome(
        shape_of, start, [](const Dilated& s) { return values_outcome(s, dense_uniform); }, tried,
        most);
  };
  expect(reach([](int n) { return Dilated{1, 1, 1, n, 1, 3, 1, {1, 1}}; }, 40000, kLongSize));
  expect(reach([](int n) { return Dilated{1, 1, n, 1, 1, 1, 1, {}}; }, 1, kLongSize));
  expect(reach([](int n) { return Dilated{1, 1, 1, 1, n, 1, 1, {}}; }, 300, 65535));
  expect(reach([](int n) { return Dilated{n, 1, 1, 1, 1, 1, 1, {}}; }, 300, 65535));
  for (const int cols : {30011, 7}) {
    expect(large_image_outcome(
        cols, [](int h, int w) { return Dilated{1, 1, h, w, 1, 1, 1, {}}; }, start,
        [](const Dilated& s) { return values_outcome(s, dense_uniform); }));
  }
  // More planes than a grid has blocks along y or z.
  expect(reach([](int n) { return Dilated{300, 1, 1, 1, n, 1, 1, {}}; }, 1, 65535));
}

TEST_CASE("conv2d_dilated refuses shapes that do not fit") {
  const DeviceBuffer<float> memory(100);
  float* data = memory.data();
  // A 3 x 3 filter with dilation 2 spans all five pixels: one position, not nine.
  CHECK_THROWS_AS(
      conv2d_dilated({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 3, 3}, {}, 2),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_dilated({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 5, 5}, {}, 0),
      std::invalid_argument);
  CHECK_THROWS_AS(conv2d_dilated({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 7, 7},
                                 {}, std::numeric_limits<int>::max()),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_dilated({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 1, 1}, {0, 0}, 2),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv2d_dilated({data, 1, 1, 5, 5}, {data, 1, 1, 3, 3}, data, {data, 1, 1, 1, 1}, {-1, 1}, 1),
      std::invalid_argument);
  expect(
      refusals_outcome<TensorView<float>>({{{2, 2, 9, 8}, {3, 2, 3, 3}, {2, 3, 5, 4}}},
                                          {{{{0, 2, 9, 8}, {3, 2, 3, 3}, {0, 3, 5, 4}}},
                                           {{{2, 2, 9, 8}, {0, 2, 3, 3}, {2, 0, 5, 4}}},
                                           {{{2, 0, 9, 8}, {3, 0, 3, 3}, {2, 3, 5, 4}}},
                                           {{{2, 2, 4, 8}, {3, 2, 3, 3}, {2, 3, 0, 4}}}},
                                          [](auto in, auto weights, const float* bias, auto out) {
                                            conv2d_dilated(in, weights, bias, out, {}, 2);
                                          }));
}

TEST_CASE("budget") {
  // Taps lie 8 floats apart, so that a warp reads whole sectors under each.
  constexpr int CHANNELS = 3, FILTERS = 4, SIDE = 3, DILATION = 8, OUT = 32, EDGE = OUT + 16;
  const double cost = FILTERS * OUT * OUT * (5.0 * CHANNELS * SIDE * SIDE + 5);
  expect_budget("conv2d_dilated", cost, [] {
    return values_outcome({1, CHANNELS, EDGE, EDGE, FILTERS, SIDE, DILATION}, dense_uniform);
  });
}

TEST_CASE("a dilated filter spans what lies between its taps too") {
  CHECK(dilated_side(3, 2) == 5);
  CHECK(dilated_side(1, 9) == 1);
  CHECK(dilated_side(4, 1) == 4);
}

}  // namespace tut::ch13
