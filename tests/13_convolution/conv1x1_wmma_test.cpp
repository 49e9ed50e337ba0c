#include "13_convolution/conv1x1_wmma.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "../tensor_products.hpp"
#include "exercise_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"

namespace tut::ch13 {
namespace {

struct Layer {
  int n, h, w, c, k, stride;

  int out_h() const { return (h - 1) / stride + 1; }
  int out_w() const { return (w - 1) / stride + 1; }
};

std::vector<test::Sum> expected_sums(const Layer& s, const Guarded<__half>& in,
                                     const Guarded<__half>& weights, const Guarded<float>& bias) {
  std::vector<test::Sum> sums;
  for (int n = 0; n < s.n; ++n)
    for (int y = 0; y < s.out_h(); ++y)
      for (int x = 0; x < s.out_w(); ++x)
        for (int k = 0; k < s.k; ++k) {
          test::Sum& sum = sums.emplace_back();
          sum.add(at(bias, k));
          const int pixel = (n * s.h + y * s.stride) * s.w + x * s.stride;
          for (int c = 0; c < s.c; ++c) {
            sum.add(at(in, pixel * s.c + c) * at(weights, k * s.c + c));
          }
        }
  return sums;
}

void start(const Layer& s, const __half* in, const __half* weights, const float* bias, __half* out,
           cudaStream_t stream) {
  conv1x1_wmma({in, s.n, s.h, s.w, s.c}, {weights, s.k, 1, 1, s.c}, bias,
               {out, s.n, s.out_h(), s.out_w(), s.k}, s.stride, stream);
}

Outcome values_outcome(const Layer& s, const Setting& setting) {
  const Setting aligned{setting.fill, setting.dense};  // as in and weights must be
  Guarded<__half> in = filled<__half>(s.n * s.h * s.w, s.c, aligned, 71, true);
  Guarded<__half> weights = filled<__half>(s.k, s.c, aligned, 72);
  Guarded<float> bias = filled<float>(1, s.k, setting, 73);
  if (setting.fill == Fill::specials) {
    bias.view()(0, 0) = 66000;  // more than half holds
    weights.view()(s.k - 1, s.c - 1) = __float2half(std::numeric_limits<float>::infinity());
  }
  Guarded<__half> out = tensor<__half>(s.n * s.out_h() * s.out_w(), s.k, setting);
  const Guarded<__half> in_before = in, weights_before = weights, out_before = out;
  const std::string text = "images " + std::to_string(s.h) + "x" + std::to_string(s.w) + ", " +
                           std::to_string(s.c) + " channels, " + std::to_string(s.k) +
                           " filters, stride " + std::to_string(s.stride) +
                           "; a row for each pixel";
  for (Guarded<__half>* tensor : {&in, &weights}) tensor->set_placement({.start = 8, .stride = 0});
  out.set_placement({.stride = 0});
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, auto pixels, auto taps, auto added, auto result) {
        start(s, pixels.data, taps.data, added.data, result.data, stream);
      },
      in, weights, bias, out);
  if (!run.ok) return run;
  return first_failure(
      {sums_outcome(out_before, out, expected_sums(s, in_before, weights_before, bias), setting,
                    text, 0x1p-23),
       nothing_changed(in_before, in, "in", text),
       nothing_changed(weights_before, weights, "weights", text)});
}

}  // namespace

TEST_CASE("conv1x1_wmma computes a product for each pixel") {
  for (const Layer& s :
       {Layer{1, 8, 8, 32, 64, 1}, Layer{1, 1, 1, 8, 1, 1}, Layer{2, 7, 5, 40, 17, 1},
        Layer{1, 9, 8, 64, 65, 2}, Layer{3, 5, 7, 24, 63, 3}, Layer{1, 13, 5, 72, 2, 1}}) {
    expect_in_all_settings([&](const Setting& setting) { return values_outcome(s, setting); });
  }
}

TEST_CASE("conv1x1_wmma takes many pixels, filters and channels") {
  for (const Layer& s :
       {Layer{1, 1, 5000, 8, 1, 1}, Layer{1, 5000, 1, 8, 3, 2}, Layer{1, 1, 1, 8, 5000, 1},
        Layer{1, 1, 2, 4200, 3, 1}, Layer{300, 1, 1, 8, 2, 1},
        // Some tiles along both sides of the result, the last of each with a few in it.
        Layer{1, 13, 10, 8, 130, 1}, Layer{2, 20, 9, 8, 70, 2},
        // A stride beyond the image: its first pixel alone.
        Layer{2, 3, 4, 8, 3, 1 << 20}, Layer{1, 2, 2, 8, 3, std::numeric_limits<int>::max()}}) {
    expect(values_outcome(s, dense_uniform));
  }
}

TEST_CASE("conv1x1_wmma of every second pixel, in rows whose length is no power of 2") {
  // Where a row begins, a factor of 1 / width falls short of a whole number for some widths.
  for (int width = 1; width < 128; ++width) {
    const float reciprocal = 1.0f / static_cast<float>(width);
    if (static_cast<float>(width) * reciprocal >= 1) continue;
    expect(values_outcome({1, 5, 2 * width, 8, 1, 2}, dense_uniform));
  }
}

TEST_CASE("conv1x1_wmma of as many pixels, images, or filters, as there may be") {
  const auto reach = [](const std::function<Layer(int)>& layer_of, int tried, int most) {
    const LongBuffer<__half> in, weights, out;
    const LongBuffer<float> bias;
    const Layer largest = layer_of(most);
    const std::int64_t size =
        std::int64_t{largest.n} * largest.out_h() * largest.out_w() * largest.k;
    const MarkedParts result("out", out.data(), static_cast<std::size_t>(size));
    return grid_reach_outcome(
        {[&](cudaStream_t stream, int n) {
           start(layer_of(n), in.data(), weights.data(), bias.data(), out.data(), stream);
         },
         growing_size(layer_of)},
        [&](int n) { return values_outcome(layer_of(n), dense_uniform); }, tried, result, most);
  };
  constexpr int PIXELS = (1 << 22) - 64;
  expect(reach([](int n) { return Layer{1, 1, n, 8, 1, 1}; }, 5000, PIXELS));
  expect(reach([](int n) { return Layer{1, n, 1, 8, 1, 1}; }, 2500, PIXELS));
  expect(reach([](int n) { return Layer{n, 1, 1, 8, 1, 1}; }, 300, PIXELS));
  expect(reach([](int n) { return Layer{1, 1, 1, 8, n, 1}; }, 5000, 100'000'000));
}

TEST_CASE("conv1x1_wmma sums in FP32") {
  // 2304 products of 1: a sum in half stops growing at 2048.
  constexpr int CHANNELS = 2304;
  const std::vector<__half> ones(CHANNELS, __float2half(1.0f));
  const DeviceBuffer<__half> in(ones), weights(ones), out(1);
  const DeviceBuffer<float> bias(std::vector<float>{0.0f});
  conv1x1_wmma({in.data(), 1, 1, 1, CHANNELS}, {weights.data(), 1, 1, 1, CHANNELS}, bias.data(),
               {out.data(), 1, 1, 1, 1}, 1);
  const float got = __half2float(out.to_host()[0]);
  expect(got == 2304.0f ? Outcome{}
                        : failure("values", "a sum of 2304 ones is " + value_text(got)));
}

TEST_CASE("conv1x1_wmma refuses what it cannot read by chunks, and shapes that do not fit") {
  const DeviceBuffer<__half> memory(400);
  const DeviceBuffer<float> bias(8);
  __half* data = memory.data();
  CHECK_THROWS_AS(
      conv1x1_wmma({data, 1, 2, 2, 8}, {data + 4, 1, 1, 1, 8}, bias.data(), {data, 1, 2, 2, 1}, 1),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv1x1_wmma({data, 1, 2, 2, 7}, {data, 1, 1, 1, 7}, bias.data(), {data, 1, 2, 2, 1}, 1),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv1x1_wmma({data + 1, 1, 2, 2, 8}, {data, 1, 1, 1, 8}, bias.data(), {data, 1, 2, 2, 1}, 1),
      std::invalid_argument);
  CHECK_THROWS_AS(
      conv1x1_wmma({data, 1, 3, 3, 8}, {data, 1, 3, 3, 8}, bias.data(), {data, 1, 1, 1, 1}, 1),
      std::invalid_argument);
  for (const int stride : {0, -1}) {
    CHECK_THROWS_AS(conv1x1_wmma({data, 1, 1, 1, 8}, {data, 1, 1, 1, 8}, bias.data(),
                                 {data, 1, 1, 1, 1}, stride),
                    std::invalid_argument);
  }
  expect(
      refusals_outcome<NhwcView<__half>>({{{2, 3, 4, 8}, {5, 1, 1, 8}, {2, 3, 4, 5}}},
                                         {{{{0, 3, 4, 8}, {5, 1, 1, 8}, {0, 3, 4, 5}}},
                                          {{{2, 3, 4, 8}, {0, 1, 1, 8}, {2, 3, 4, 0}}},
                                          {{{2, 3, 4, 0}, {5, 1, 1, 0}, {2, 3, 4, 5}}}},
                                         [](auto in, auto weights, const float* added, auto out) {
                                           conv1x1_wmma(in, weights, added, out, 1);
                                         }));
}

TEST_CASE("budget") {
  constexpr int SIDE = 16, CHANNELS = 64, FILTERS = 128, PIXELS = SIDE * SIDE;
  for (const int stride : {1, 2}) {
    expect_budget("conv1x1_wmma", PIXELS * FILTERS * (CHANNELS / 16.0 + 2 + 4), [stride] {
      return values_outcome({1, SIDE * stride, SIDE * stride, CHANNELS, FILTERS, stride},
                            dense_uniform);
    });
  }
  for (const Layer& s : {Layer{1, 7, 9, 56, 63, 1}, Layer{1, 7, 9, 8, 63, 1},
                         Layer{1, 7, 9, 56, 3, 1}, Layer{1, 1, 1, 8, 1, 1}}) {
    expect_tensor_products(fragment_products(s.n * s.h * s.w, s.k, s.c),
                           [&] { return values_outcome(s, dense_uniform); });
  }
}

}  // namespace tut::ch13
