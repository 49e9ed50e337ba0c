#include "13_convolution/im2col.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>
#include <tuple>

#include "13_convolution/conv2d_im2col.hpp"
#include "13_convolution/convert_layout.hpp"
#include "nhwc_case.hpp"
#include "tut/matrix/device_matrix.hpp"

namespace {

using namespace tut;
using namespace tut::test;

const std::vector<ConvolutionShape> kShapes{{2, 3, 7, 6, 4, 3},        {2, 3, 7, 6, 4, 3, 1, 1},
                                            {1, 2, 9, 11, 3, 5, 2, 3}, {3, 1, 1, 1, 33, 3, 1, 1},
                                            {5, 8, 12, 12, 16, 5},     {1, 4, 5, 30, 2, 2, 0, 2}};

}  // namespace

TEST_CASE("im2col writes what each filter sees") {
  for (const ConvolutionShape& s : kShapes) {
    CAPTURE(text_of(s));
    const ConvolutionInputs host(s);
    const GuardedDevice in(host.in);
    const int pixels = s.out_pixels();
    DeviceMatrix<float> columns(s.taps(), pixels, pixels + 3);
    ch13::im2col(in_view<const float>(s, in.data()), columns.view(), s.f, options_of(s));
    const HostMatrix<float> got = columns.download();
    HostMatrix<float> expected(s.taps(), pixels, pixels + 3);
    for (int r = 0; r < s.taps(); ++r) {
      for (float& value : expected.row(r)) value = 0.0f;
    }
    const int area = s.out_h() * s.out_w();
    for_each_product(s, [&](std::size_t out, std::size_t pixel, std::size_t weight) {
      const int image = static_cast<int>(out) / (s.k * area);
      expected(static_cast<int>(weight) % s.taps(), image * area + static_cast<int>(out) % area) =
          host.in[pixel];
    });
    CHECK(std::memcmp(got.span().data(), expected.span().data(), got.span().size_bytes()) == 0);
    CHECK(same_bits(in.read(), host.in));
  }
}

TEST_CASE("conv2d_im2col computes the definition") {
  for (const ConvolutionShape& s : kShapes) {
    CAPTURE(text_of(s));
    const ConvolutionInputs host(s);
    const GuardedDevice in(host.in), weights(host.weights), bias(host.bias);
    const GuardedDevice out(host.d_out.size()), scratch(ch13::conv2d_im2col_scratch(s));
    ch13::conv2d_im2col(in_view<const float>(s, in.data()),
                        weights_view<const float>(s, weights.data()), bias.data(),
                        out_view(s, out.data()), scratch.span(), options_of(s));
    check_sums(out.read(), forward_sums(s, host));
    scratch.read();
    CHECK(same_bits(in.read(), host.in));
    CHECK(same_bits(weights.read(), host.weights));
  }
}

TEST_CASE("im2col names the shapes that do not fit") {
  const DeviceBuffer<float> memory(1000);
  float* data = memory.data();
  CHECK(contains(error_of([&] {
                   ch13::im2col({data, 1, 2, 5, 5}, {data, 18, 10, 10}, 3, {});
                 }),
                 "the columns are 18x10, the input (1, 2, 5, 5); expected 18x9"));
  CHECK(contains(error_of([&] {
                   ch13::im2col({data, 1, 2, 5, 5}, {data, 18, 9, 9}, 3, {0, 0});
                 }),
                 "the stride 0"));
  CHECK(contains(error_of([&] {
                   ch13::conv2d_im2col({data, 1, 2, 5, 5}, {data, 1, 2, 3, 3}, data,
                                       {data, 1, 1, 3, 3}, {data, 100}, {});
                 }),
                 "the scratch memory holds 100 floats; expected 171"));
}

TEST_CASE_TEMPLATE("layouts are converted there and back", T, float, __half, __nv_bfloat16) {
  for (const auto& [n, c, h, w] : {std::tuple{2, 3, 5, 7},
                                   {1, 1, 1, 1},
                                   {3, 33, 8, 4},
                                   {1, 64, 2, 17},
                                   {2, 1, 28, 28},
                                   {1, 31, 33, 1}}) {
    const std::size_t size = static_cast<std::size_t>(n) * c * h * w;
    const std::vector<float> values = random_values(size, 5);
    const GuardedDevice nchw(values), back(size);
    const GuardedElements<T> nhwc(size);
    ch13::nchw_to_nhwc<T>({nchw.data(), n, c, h, w}, {nhwc.data(), n, h, w, c});
    CHECK(same_elements(nhwc.read(), to_nhwc<T>(values, c, h, w)));
    ch13::nhwc_to_nchw<T>({nhwc.data(), n, h, w, c}, {back.data(), n, c, h, w});
    CHECK(same_bits(back.read(), from_nhwc(to_nhwc<T>(values, c, h, w), c, h, w)));
    CHECK(same_bits(nchw.read(), values));
  }
  const DeviceBuffer<float> memory(100);
  const GuardedElements<T> elements(std::size_t{100});
  CHECK(
      contains(error_of([&] {
                 ch13::nchw_to_nhwc<T>({memory.data(), 1, 2, 3, 4}, {elements.data(), 1, 3, 2, 4});
               }),
               "the output is (1, 4, 3, 2); expected (1, 2, 3, 4)"));
}
