#include "13_convolution/conv2d_wmma.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "13_convolution/conv2d_wmma_backward_input.hpp"
#include "13_convolution/conv2d_wmma_backward_weights.hpp"
#include "nhwc_case.hpp"
#include "tut/device/tensor_cores.hpp"

namespace {

using namespace tut;
using namespace tut::test;
using ch13::NhwcView;

// Channels that 8 divides, that only 4 does, and others; results of few columns, of few rows and of
// many of both, one tile and several; padding and stride, a filter as large as the image, a single
// pixel.
const std::vector<ConvolutionShape> kShapes{
    {2, 8, 6, 7, 16, 3, 1, 1}, {1, 1, 5, 5, 1, 5},        {2, 3, 7, 6, 5, 3, 1, 2},
    {1, 16, 9, 8, 72, 1},      {3, 72, 5, 4, 8, 3, 1, 1}, {1, 8, 4, 4, 65, 4, 3, 1},
    {2, 24, 7, 7, 8, 2, 0, 3}, {4, 8, 12, 12, 16, 5},     {1, 8, 1, 1, 8, 3, 1, 1},
    {2, 5, 6, 6, 8, 3, 0, 2},  {20, 8, 6, 6, 8, 3, 1, 1}, {3, 12, 7, 7, 17, 3, 1, 1},
    {5, 136, 1, 1, 20, 1},     {17, 16, 3, 3, 16, 1},     {2, 17, 9, 9, 4, 3, 1, 2}};

template <class T>
NhwcView<T> in_nhwc(const ConvolutionShape& s, T* data) {
  return {data, s.n, s.h, s.w, s.c};
}
template <class T>
NhwcView<T> weights_nhwc(const ConvolutionShape& s, T* data) {
  return {data, s.k, s.f, s.f, s.c};
}
template <class T>
NhwcView<T> out_nhwc(const ConvolutionShape& s, T* data) {
  return {data, s.n, s.out_h(), s.out_w(), s.k};
}

bool has_bfloat16_and_tf32() { return compute_capability() >= 80; }

// A convolution in T with its results in U. Inputs begin `shift` elements off a multiple of 16
// bytes.
template <class T, class U>
void check_forward(const ConvolutionShape& s, std::size_t shift) {
  ConvolutionInputs host(s);
  round_factors<T>(host);
  const auto in_values = to_nhwc<T>(host.in, s.c, s.h, s.w);
  const auto weight_values = to_nhwc<T>(host.weights, s.c, s.f, s.f);
  const GuardedElements<T> in(in_values, shift), weights(weight_values, shift);
  const GuardedElements<float> bias(host.bias);
  const GuardedElements<U> out(host.d_out.size());
  ch13::conv2d_wmma<T, U>(in_nhwc<const T>(s, in.data()), weights_nhwc<const T>(s, weights.data()),
                          bias.data(), out_nhwc(s, out.data()), options_of(s));
  check_tensor_sums<U>(from_nhwc(out.read(), s.k, s.out_h(), s.out_w()), forward_sums(s, host));
  CHECK(same_elements(in.read(), in_values));
  CHECK(same_elements(weights.read(), weight_values));
  CHECK(same_elements(bias.read(), host.bias));
}

template <class T, class U>
void check_backward(const ConvolutionShape& s, std::size_t shift) {
  ConvolutionInputs host(s);
  round_factors<T>(host);
  const auto in_values = to_nhwc<T>(host.in, s.c, s.h, s.w);
  const auto weight_values = to_nhwc<T>(host.weights, s.c, s.f, s.f);
  const auto d_out_values = to_nhwc<T>(host.d_out, s.k, s.out_h(), s.out_w());
  const GuardedElements<T> in(in_values, shift), weights(weight_values, shift);
  const GuardedElements<T> d_out(d_out_values, shift);
  const GuardedElements<U> d_in(host.in.size());
  const GuardedElements<float> d_weights(host.weights.size()), d_bias(host.bias.size());
  const auto d_weights_view = weights_nhwc(s, d_weights.data());
  const GuardedDevice scratch(
      ch13::conv2d_wmma_backward_weights_scratch(d_weights_view, s.out_pixels()));
  const auto d_out_view = out_nhwc<const T>(s, d_out.data());
  ch13::conv2d_wmma_backward_input<T, U>(d_out_view, weights_nhwc<const T>(s, weights.data()),
                                         in_nhwc(s, d_in.data()), options_of(s));
  ch13::conv2d_wmma_backward_weights<T>(in_nhwc<const T>(s, in.data()), d_out_view, d_weights_view,
                                        d_bias.data(), scratch.span(), options_of(s));
  check_tensor_sums<U>(from_nhwc(d_in.read(), s.c, s.h, s.w), input_gradient_sums(s, host));
  check_tensor_sums<float>(from_nhwc(d_weights.read(), s.c, s.f, s.f),
                           weight_gradient_sums(s, host));
  check_tensor_sums<float>(d_bias.read(), bias_gradient_sums(s, host));
  scratch.read();
  CHECK(same_elements(in.read(), in_values));
  CHECK(same_elements(weights.read(), weight_values));
  CHECK(same_elements(d_out.read(), d_out_values));
}

template <class T>
void check_all() {
  for (const ConvolutionShape& s : kShapes) {
    CAPTURE(text_of(s));
    check_forward<T, float>(s, 0);
    check_forward<T, T>(s, 0);
    check_backward<T, float>(s, 0);
    check_backward<T, T>(s, 0);
  }
  CAPTURE("addresses that are no multiple of 16 bytes");
  check_forward<T, T>(kShapes[0], 1);
  check_backward<T, float>(kShapes[0], 3);
}

}  // namespace

TEST_CASE("convolutions in half on tensor cores compute the definition and its derivatives") {
  check_all<__half>();
}

TEST_CASE("convolutions in bfloat16 on tensor cores compute the definition and its derivatives") {
  if (!has_bfloat16_and_tf32()) {
    MESSAGE("skipped: bfloat16 needs compute capability 8.0");
    return;
  }
  check_all<__nv_bfloat16>();
}

TEST_CASE("convolutions in TF32 on tensor cores compute the definition and its derivatives") {
  if (!has_bfloat16_and_tf32()) {
    MESSAGE("skipped: TF32 needs compute capability 8.0");
    return;
  }
  check_all<Tf32>();
}

TEST_CASE(
    "TF32 is what tensor cores multiply: FP32's other bits are lost, and half's range is not") {
  if (!has_bfloat16_and_tf32()) return;
  // (1 + 2^-11) * 2^20: half has no such number, and TF32 rounds the small bit up, to 1 + 2^-10.
  const ConvolutionShape s{1, 8, 1, 1, 1, 1};
  const GuardedElements<Tf32> in(std::vector<Tf32>(8, Tf32(0x1.002p20f)));
  const GuardedElements<Tf32> weights(std::vector<Tf32>(8, Tf32(1.0f)));
  const GuardedElements<float> bias(std::vector<float>{0.0f}), out(std::size_t{1});
  ch13::conv2d_wmma<Tf32, float>(in_nhwc<const Tf32>(s, in.data()),
                                 weights_nhwc<const Tf32>(s, weights.data()), bias.data(),
                                 out_nhwc(s, out.data()), options_of(s));
  CHECK(out.read()[0] == 8 * 0x1.004p20f);
}

TEST_CASE("sums in tensor cores are FP32: half would not pass") {
  // 2304 products near 1 each: a sum in half would stop growing at 2048.
  const ConvolutionShape s{1, 256, 3, 3, 1, 3};
  ConvolutionInputs host(s);
  host.in.assign(host.in.size(), 1.0f);
  host.weights.assign(host.weights.size(), 1.0f);
  host.bias = {0.0f};
  const GuardedElements<__half> in(to_nhwc<__half>(host.in, s.c, s.h, s.w));
  const GuardedElements<__half> weights(to_nhwc<__half>(host.weights, s.c, s.f, s.f));
  const GuardedElements<float> bias(host.bias), out(std::size_t{1});
  ch13::conv2d_wmma<__half, float>(in_nhwc<const __half>(s, in.data()),
                                   weights_nhwc<const __half>(s, weights.data()), bias.data(),
                                   out_nhwc(s, out.data()), options_of(s));
  CHECK(out.read()[0] == 2304.0f);
}

TEST_CASE("the weights' gradient on tensor cores is the same to the bit in every run" *
          doctest::test_suite("unwatched")) {
  const ConvolutionShape s{20, 8, 6, 6, 8, 3, 1, 1};
  const ConvolutionInputs host(s);
  const GuardedElements<__half> in(to_nhwc<__half>(host.in, s.c, s.h, s.w));
  const GuardedElements<__half> d_out(to_nhwc<__half>(host.d_out, s.k, s.out_h(), s.out_w()));
  std::vector<std::vector<float>> runs;
  for (int run = 0; run < 2; ++run) {
    const GuardedElements<float> d_weights(host.weights.size()), d_bias(host.bias.size());
    const auto view = weights_nhwc(s, d_weights.data());
    const GuardedDevice scratch(ch13::conv2d_wmma_backward_weights_scratch(view, s.out_pixels()));
    ch13::conv2d_wmma_backward_weights<__half>(in_nhwc<const __half>(s, in.data()),
                                               out_nhwc<const __half>(s, d_out.data()), view,
                                               d_bias.data(), scratch.span(), options_of(s));
    runs.push_back(d_weights.read());
  }
  CHECK(same_bits(runs[0], runs[1]));
}

TEST_CASE("convolutions on tensor cores say what they need") {
  CHECK_THROWS_WITH(tut::require_tensor_cores<__nv_bfloat16>("conv2d_wmma", 75),
                    "conv2d_wmma in bfloat16 needs compute capability 8.0 or higher; this device "
                    "has 7.5");
  CHECK_THROWS_WITH(tut::require_tensor_cores<tut::Tf32>("conv2d_wmma", 75),
                    "conv2d_wmma in TF32 needs compute capability 8.0 or higher; this device has "
                    "7.5");
  CHECK_NOTHROW(tut::require_tensor_cores<__half>("conv2d_wmma", 75));
  const GuardedElements<__half> memory(std::size_t{64});
  const GuardedElements<float> floats(std::size_t{64});
  CHECK(contains(error_of([&] {
                   ch13::conv2d_wmma<__half, float>({memory.data(), 1, 4, 4, 2},
                                                    {memory.data(), 1, 3, 3, 1}, floats.data(),
                                                    {floats.data(), 1, 2, 2, 1}, {});
                 }),
                 "the weights is (1, 1, 3, 3); expected (1, 2, 3, 3)"));
  CHECK(contains(error_of([&] {
                   ch13::conv2d_wmma_backward_weights<__half>(
                       {memory.data(), 1, 4, 4, 2}, {memory.data(), 1, 2, 2, 1},
                       {floats.data(), 1, 3, 3, 2}, floats.data(), {floats.data(), 3}, {});
                 }),
                 "the scratch memory holds 3 floats; expected 18"));
}
