#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "13_convolution/conv2d.hpp"
#include "13_convolution/conv2d_backward_input.hpp"
#include "13_convolution/conv2d_backward_weights.hpp"
#include "13_convolution/conv2d_direct.hpp"
#include "13_convolution/conv2d_implicit.hpp"
#include "13_convolution/conv2d_implicit_backward_input.hpp"
#include "13_convolution/conv2d_implicit_backward_weights.hpp"
#include "13_convolution/conv2d_tiles.hpp"
#include "convolution_case.hpp"
#include "simt/inspect/check/interface.hpp"
#include "tut/device/stream.hpp"

namespace {

using namespace tut;
using namespace tut::test;

// The layers of both networks, ragged and single-image batches, tiles with one row, primes, both
// sides of every choice that a launcher makes; padding and stride alone and together.
const std::vector<ConvolutionShape> kShapes{
    {5, 1, 28, 28, 8, 5},         {4, 8, 12, 12, 16, 5},       {1, 8, 12, 12, 16, 5},
    {9, 8, 12, 12, 16, 5},        {3, 1, 28, 28, 32, 3},       {17, 32, 26, 26, 64, 3},
    {9, 1, 28, 28, 32, 3},        {1, 1, 5, 5, 1, 5},          {2, 3, 7, 6, 3, 3},
    {3, 2, 9, 11, 4, 5},          {6, 5, 13, 8, 8, 3},         {2, 16, 16, 16, 8, 5},
    {1, 4, 5, 30, 2, 5},          {9, 1, 3, 3, 12, 3},         {2, 8, 12, 12, 8, 5},
    {3, 2, 6, 5, 3, 2},           {2, 3, 4, 4, 5, 1},          {2, 3, 7, 6, 3, 3, 1, 1},
    {2, 3, 9, 8, 5, 3, 1, 2},     {2, 2, 11, 7, 4, 5, 2, 3},   {1, 1, 1, 1, 1, 3, 1, 1},
    {2, 4, 8, 8, 33, 1, 0, 2},    {1, 1, 2, 2, 1, 2, 5, 2},    {2, 5, 12, 12, 7, 4, 3, 1},
    {4, 8, 12, 12, 16, 5, 2, 1},  {2, 32, 26, 26, 8, 3, 0, 2}, {3, 37, 5, 7, 35, 3, 1, 1},
    {9, 3, 33, 35, 9, 3, 1, 1},   {2, 5, 17, 19, 12, 5, 2, 1}, {1, 6, 18, 50, 4, 1, 0, 1},
    {8, 4, 16, 16, 8, 3},         {3, 2, 21, 18, 13, 5, 5, 1}, {2, 9, 1, 40, 3, 1, 1, 1},
    {1, 130, 4, 5, 129, 3, 1, 1}, {1, 65, 9, 8, 70, 1},        {270, 1, 5, 5, 1, 5},
    {1, 2, 6, 150, 33, 3, 1, 1},  {2, 3, 5, 70, 10, 5, 3, 1},  {2, 20, 9, 24, 16, 5}};

struct Gradients {
  std::vector<float> in, weights, bias;
};

// Runs both gradients through `backward(d_out, weights, in, d_in, d_weights, d_bias)`, all in
// guarded memory, and looks that the inputs stay.
template <class Backward>
Gradients gradients(const ConvolutionShape& s, const ConvolutionInputs& host,
                    const Backward& backward) {
  const GuardedDevice in(host.in), weights(host.weights), d_out(host.d_out);
  const GuardedDevice d_in(host.in.size()), d_weights(host.weights.size());
  const GuardedDevice d_bias(host.bias.size());
  backward(out_view<const float>(s, d_out.data()), weights_view<const float>(s, weights.data()),
           in_view<const float>(s, in.data()), in_view(s, d_in.data()),
           weights_view(s, d_weights.data()), d_bias.data());
  CHECK(same_bits(in.read(), host.in));
  CHECK(same_bits(weights.read(), host.weights));
  CHECK(same_bits(d_out.read(), host.d_out));
  return {d_in.read(), d_weights.read(), d_bias.read()};
}

// The gradients by which the networks are trained.
Gradients trained_gradients(const ConvolutionShape& s, const ConvolutionInputs& host,
                            cudaStream_t stream = nullptr) {
  return gradients(
      s, host, [&](auto d_out, auto weights, auto in, auto d_in, auto d_weights, float* d_bias) {
        const GuardedDevice scratch1(ch13::conv2d_backward_input_scratch(d_out, weights));
        const GuardedDevice scratch2(ch13::conv2d_backward_weights_scratch(d_out, weights));
        const ch13::Conv2dOptions options = options_of(s);
        ch13::conv2d_backward_input(d_out, weights, d_in, scratch1.span(), options, stream);
        ch13::conv2d_backward_weights(in, d_out, d_weights, d_bias, {scratch2.span()}, options,
                                      stream);
        check(cudaStreamSynchronize(stream));
        scratch1.read();
        scratch2.read();
      });
}

using Forward = void (*)(TensorView<const float>, TensorView<const float>, const float*,
                         TensorView<float>, ch13::Conv2dOptions, cudaStream_t);

std::vector<float> run_forward(Forward forward, const ConvolutionShape& s,
                               const ConvolutionInputs& host, cudaStream_t stream = nullptr) {
  const GuardedDevice in(host.in), weights(host.weights), bias(host.bias);
  const GuardedDevice out(host.d_out.size());
  forward(in_view<const float>(s, in.data()), weights_view<const float>(s, weights.data()),
          bias.data(), out_view(s, out.data()), options_of(s), stream);
  check(cudaStreamSynchronize(stream));
  CHECK(same_bits(in.read(), host.in));
  CHECK(same_bits(weights.read(), host.weights));
  CHECK(same_bits(bias.read(), host.bias));
  return out.read();
}

// Whether the layer has tiles that conv2d and its gradients leave alone.
bool is_tiled_by_name(const ConvolutionShape& s) {
  return ch13::has_tiles(s) && !ch13::suits_tiles(s);
}

void tiles_forward(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                   TensorView<float> out, ch13::Conv2dOptions options, cudaStream_t stream) {
  ch13::conv2d_tiles(in, weights, bias, out, options.padding, stream);
}

Gradients tiles_gradients(const ConvolutionShape& s, const ConvolutionInputs& host) {
  return gradients(
      s, host, [&](auto d_out, auto weights, auto in, auto d_in, auto d_weights, float*) {
        const GuardedDevice scratch(ch13::conv2d_tiles_backward_weights_scratch(d_out, weights));
        ch13::conv2d_tiles_backward_input(d_out, weights, d_in, s.padding);
        DeviceBuffer<unsigned> finished(ch13::conv2d_tiles_backward_weights_counters(weights));
        finished.fill_bytes(0);
        ch13::conv2d_tiles_backward_weights(
            in, d_out, d_weights, {scratch.span(), {finished.data(), finished.size()}}, s.padding);
        for (const unsigned counter : finished.to_host()) REQUIRE(counter == 0);
        scratch.read();
      });
}

}  // namespace

TEST_CASE("every way to convolve computes the definition") {
  for (ConvolutionShape s : kShapes) {
    // Each image has blocks of its own: watched, a few say as much as many.
    const bool is_large = s.flops() > 1e8;
    if (simt_check_work != nullptr && is_large) s.n = 3;
    CAPTURE(text_of(s));
    const ConvolutionInputs host(s);
    const std::vector<Sum> expected = forward_sums(s, host);
    check_sums(run_forward(ch13::conv2d, s, host), expected);
    if (is_large) continue;
    check_sums(run_forward(ch13::conv2d_direct, s, host), expected);
    check_sums(run_forward(ch13::conv2d_implicit, s, host), expected);
    if (is_tiled_by_name(s)) check_sums(run_forward(tiles_forward, s, host), expected);
  }
}

TEST_CASE("both ways to the gradients compute the derivatives of the definition") {
  for (const ConvolutionShape& s : kShapes) {
    CAPTURE(text_of(s));
    const ConvolutionInputs host(s);
    const auto in_sums = input_gradient_sums(s, host);
    const auto weight_sums = weight_gradient_sums(s, host);
    const Gradients trained = trained_gradients(s, host);
    check_sums(trained.in, in_sums);
    check_sums(trained.weights, weight_sums);
    check_sums(trained.bias, bias_gradient_sums(s, host));
    if (s.flops() > 1e8) continue;
    const Gradients implicit = gradients(
        s, host, [&](auto d_out, auto weights, auto in, auto d_in, auto d_weights, float*) {
          const GuardedDevice scratch(
              ch13::conv2d_implicit_backward_weights_scratch(d_out, weights));
          const ch13::Conv2dOptions options = options_of(s);
          ch13::conv2d_implicit_backward_input(d_out, weights, d_in, options);
          ch13::conv2d_implicit_backward_weights(in, d_out, d_weights, scratch.span(), options);
          scratch.read();
        });
    check_sums(implicit.in, in_sums);
    check_sums(implicit.weights, weight_sums);
    if (!is_tiled_by_name(s)) continue;
    const Gradients tiled = tiles_gradients(s, host);
    check_sums(tiled.in, in_sums);
    check_sums(tiled.weights, weight_sums);
  }
}

TEST_CASE("the gradients agree with central differences in double") {
  // The loss is the sum of r * out for random r, so that r is the gradient of the output.
  for (const ConvolutionShape& s :
       {ConvolutionShape{2, 3, 8, 9, 4, 5}, ConvolutionShape{2, 3, 7, 9, 4, 3, 1, 2}}) {
    CAPTURE(text_of(s));
    const ConvolutionInputs host(s);
    std::vector<double> in(host.in.begin(), host.in.end());
    std::vector<double> weights(host.weights.begin(), host.weights.end());
    const auto loss = [&] {
      double sum = 0;
      for_each_product(s, [&](std::size_t out, std::size_t pixel, std::size_t weight) {
        sum += host.d_out[out] * in[pixel] * weights[weight];
      });
      return sum;
    };
    const auto derivative = [&](double& variable) {
      constexpr double step = 1e-3;
      const double at = variable;
      variable = at + step;
      const double above = loss();
      variable = at - step;
      const double below = loss();
      variable = at;
      return (above - below) / (2 * step);
    };
    const Gradients got = trained_gradients(s, host);
    for (std::size_t i = 0; i < in.size(); i += 7) {
      CAPTURE(i);
      CHECK(std::abs(got.in[i] - derivative(in[i])) <= 1e-5);
    }
    for (std::size_t i = 0; i < weights.size(); i += 5) {
      CAPTURE(i);
      CHECK(std::abs(got.weights[i] - derivative(weights[i])) <= 1e-5);
    }
  }
}

TEST_CASE("the convolution's results are the same to the bit in every run and on any stream" *
          doctest::test_suite("unwatched")) {
  const Stream own;
  for (const ConvolutionShape& s :
       {ConvolutionShape{7, 8, 12, 12, 16, 5}, ConvolutionShape{7, 8, 12, 12, 16, 5, 2, 2}}) {
    CAPTURE(text_of(s));
    const ConvolutionInputs host(s);
    std::vector<std::vector<float>> runs;
    for (const cudaStream_t stream : {cudaStream_t{}, cudaStream_t{}, own.get()}) {
      std::vector<float> all = run_forward(ch13::conv2d, s, host, stream);
      const Gradients got = trained_gradients(s, host, stream);
      for (const std::vector<float>* part : {&got.in, &got.weights, &got.bias}) {
        all.insert(all.end(), part->begin(), part->end());
      }
      runs.push_back(std::move(all));
    }
    CHECK(same_bits(runs[0], runs[1]));
    CHECK(same_bits(runs[0], runs[2]));
  }
}

TEST_CASE("without options a convolution is valid and has stride 1") {
  const ConvolutionShape s{2, 3, 8, 7, 4, 3};
  const ConvolutionInputs host(s);
  const GuardedDevice in(host.in), weights(host.weights), bias(host.bias);
  const GuardedDevice out(host.d_out.size());
  ch13::conv2d(in_view<const float>(s, in.data()), weights_view<const float>(s, weights.data()),
               bias.data(), out_view(s, out.data()));
  CHECK(same_bits(out.read(), run_forward(ch13::conv2d, s, host)));
}

TEST_CASE("the convolution names the shapes that do not fit") {
  const GuardedDevice memory(std::size_t{65536});
  float* data = memory.data();
  const TensorView<const float> in{data, 2, 3, 8, 8}, weights{data, 4, 3, 5, 5};
  const TensorView<float> out{data, 2, 4, 4, 4};
  const auto error = [&](TensorView<const float> a, TensorView<const float> b, TensorView<float> c,
                         ch13::Conv2dOptions options = {}) {
    return error_of([&] { ch13::conv2d(a, b, data, c, options); });
  };
  CHECK(contains(error(in, {data, 4, 2, 5, 5}, out),
                 "the weights is (4, 2, 5, 5); expected (4, 3, 5, 5)"));
  CHECK(contains(error(in, weights, {data, 2, 4, 5, 4}),
                 "the output is (2, 4, 5, 4); expected (2, 4, 4, 4)"));
  CHECK(contains(error(in, weights, out, {1, 2}),
                 "the output is (2, 4, 4, 4); expected (2, 4, 3, 3)"));
  CHECK(contains(error(in, weights, out, {0, 0}), "the padding is 0 and the stride 0"));
  CHECK(contains(error(in, weights, out, {-1, 1}), "the padding is -1 and the stride 1"));
  CHECK(contains(error(in, {data, 4, 3, 4, 5}, {data, 2, 4, 5, 4}), "square filters"));
  CHECK(contains(error({data, 0, 3, 8, 8}, weights, {data, 0, 4, 4, 4}), "empty dimension"));
  CHECK(contains(error({data, 2, 3, 3, 3}, weights, {data, 2, 4, -1, -1}), "the output is"));
  CHECK(contains(error({data, 2, 3, 2, 2}, {data, 4, 3, 3, 3}, {data, 2, 4, 1, 1}, {0, 2}),
                 "the output is (2, 4, 1, 1); expected (2, 4, 0, 0)"));
  CHECK(contains(error({nullptr, 2, 3, 8, 8}, weights, out), "no data"));
  CHECK(contains(error({data, 60000, 60, 30, 30}, {data, 4, 60, 5, 5}, {data, 60000, 4, 26, 26}),
                 "2^31 elements"));
  CHECK(contains(error(in, {data, 60000, 3, 200, 200}, {data, 2, 60000, 1, 1}), "2^31 elements"));
  CHECK(contains(error(in, weights, out, {std::numeric_limits<int>::max(), 1}),
                 "expected fewer than 2^31 pixels along a side with it"));
  CHECK(contains(error_of([&] { ch13::conv2d(in, weights, nullptr, out); }), "the bias"));
  CHECK(contains(error_of([&] {
                   ch13::conv2d_backward_input({data, 1, 16, 8, 8}, {data, 16, 8, 5, 5},
                                               {data, 1, 8, 12, 11}, {});
                 }),
                 "the output is (1, 16, 8, 8); expected (1, 16, 8, 7)"));
  CHECK(contains(error_of([&] {
                   ch13::conv2d_backward_weights(in, out, {data, 4, 3, 5, 5}, data, {{data, 10}});
                 }),
                 "the scratch memory holds 10 floats; expected"));
}

TEST_CASE("the index maps invert each other") {
  const ConvolutionShape s{2, 3, 7, 6, 4, 3, 1, 2};
  CHECK(s.out_h() == 4);
  CHECK(s.out_w() == 3);
  static_assert(ch13::tap_of(14, 3).channel == 1 && ch13::tap_of(14, 3).row == 1 &&
                ch13::tap_of(14, 3).col == 2);
  static_assert(ch13::tap_of<3>(14, 99).row == 1, "a constant side is used, not the argument");
  static_assert(ch13::tap_of_nhwc(14, 3, 4).channel == 2 && ch13::tap_of_nhwc(14, 3, 4).row == 1 &&
                ch13::tap_of_nhwc(14, 3, 4).col == 0);
  for (int index = 0; index < 35; ++index) {
    const ch13::Tap next = ch13::next_tap_nhwc(ch13::tap_of_nhwc(index, 3, 4), 3, 4);
    const ch13::Tap tap = ch13::tap_of_nhwc(index + 1, 3, 4);
    CHECK((next.channel == tap.channel && next.row == tap.row && next.col == tap.col));
  }
  for (int index = 0; index < s.out_pixels(); ++index) {
    const ch13::Pixel out = ch13::pixel_of(index, s.out_h(), s.out_w());
    CHECK((out.image * s.out_h() + out.y) * s.out_w() + out.x == index);
    for (int i = 0; i < s.f; ++i) {
      for (int j = 0; j < s.f; ++j) {
        const ch13::Pixel in = ch13::under_tap(s, out, i, j);
        const bool inside = in.y >= 0 && in.y < s.h && in.x >= 0 && in.x < s.w;
        CHECK((in.image >= 0) == inside);
        if (!inside) continue;
        const ch13::Pixel back = ch13::over_pixel(s, in, i, j);
        CHECK((back.image == out.image && back.y == out.y && back.x == out.x));
      }
    }
  }
  // From each pixel of the input as many ways lead out as in.
  int ways_in = 0, ways_out = 0;
  for (int tap = 0; tap < s.f * s.f; ++tap) {
    for (int p = 0; p < s.out_pixels(); ++p) {
      const ch13::Pixel at = ch13::pixel_of(p, s.out_h(), s.out_w());
      ways_in += ch13::under_tap(s, at, tap / s.f, tap % s.f).image >= 0;
    }
    for (int p = 0; p < s.in_pixels(); ++p) {
      const ch13::Pixel at = ch13::pixel_of(p, s.h, s.w);
      ways_out += ch13::over_pixel(s, at, tap / s.f, tap % s.f).image >= 0;
    }
  }
  CHECK(ways_in == ways_out);
}
