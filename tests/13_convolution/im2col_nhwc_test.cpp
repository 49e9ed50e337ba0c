#include "13_convolution/im2col_nhwc.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "exercise_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"

namespace tut::ch13 {
namespace {

// What the matrix must hold at (p, k), said without the chapter's index maps.
double expected_element(const ConvolutionShape& s, const Guarded<float>& in, int p, int k) {
  const int c = k % s.c, j = k / s.c % s.f, i = k / s.c / s.f;
  const int x = p % s.out_w(), y = p / s.out_w() % s.out_h(), n = p / s.out_w() / s.out_h();
  const int in_y = y * s.stride + i - s.padding, in_x = x * s.stride + j - s.padding;
  if (in_y < 0 || in_y >= s.h || in_x < 0 || in_x >= s.w) return 0.0;
  return at(in, ((std::int64_t{n} * s.h + in_y) * s.w + in_x) * s.c + c);
}

Outcome values_outcome(const ConvolutionShape& s, const Setting& setting) {
  const int pixels = s.out_pixels(), taps = s.taps();
  const int stride = setting.dense ? taps : taps + 3;
  Guarded<float> in = filled<float>(s.n * s.h, s.w * s.c, setting, 31, true);
  Guarded<float> rows(pixels, taps, stride, setting.dense ? 0 : 4096);
  const Guarded<float> in_before = in, rows_before = rows;
  const std::string text = "images of " + std::to_string(s.h) + "x" + std::to_string(s.w) + "x" +
                           std::to_string(s.c) + ", side " + std::to_string(s.f) + ", padding " +
                           std::to_string(s.padding) + ", stride " + std::to_string(s.stride);
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        im2col_nhwc({from.data, s.n, s.h, s.w, s.c}, to, s.f, {s.padding, s.stride}, stream);
      },
      in, rows);
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(
      pixels, taps, [&](int p, int k) { return expected_element(s, in_before, p, k); });
  const auto exact = make_matrix<double>(pixels, taps, [](int, int) { return 0.0; });
  return first_failure({compare(rows.cview(), expected, exact, {.name = "rows", .shape = text}),
                        only_inside_changed(rows_before, rows, "rows", text),
                        nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("im2col_nhwc writes what each filter sees") {
  for (const ConvolutionShape& s :
       {ConvolutionShape{2, 3, 5, 4, 1, 3}, ConvolutionShape{1, 1, 1, 1, 1, 1},
        ConvolutionShape{2, 3, 5, 7, 1, 3, 1, 1}, ConvolutionShape{1, 32, 6, 5, 1, 3, 1, 2},
        ConvolutionShape{1, 33, 4, 3, 1, 2, 0, 1}, ConvolutionShape{3, 7, 11, 6, 1, 5, 2, 3},
        ConvolutionShape{1, 2, 1, 1, 1, 3, 1, 1}, ConvolutionShape{1, 31, 3, 9, 1, 1, 0, 2}}) {
    expect_in_all_settings([&](const Setting& setting) { return values_outcome(s, setting); });
  }
}

TEST_CASE("im2col_nhwc refuses a matrix of the wrong shape") {
  const DeviceBuffer<float> memory(1000);
  CHECK_THROWS_AS(
      im2col_nhwc({memory.data(), 1, 5, 5, 2}, {memory.data(), 9, 17, 17}, 3, {}, nullptr),
      std::invalid_argument);
  CHECK_THROWS_AS(
      im2col_nhwc({memory.data(), 1, 5, 5, 2}, {memory.data(), 8, 18, 18}, 3, {}, nullptr),
      std::invalid_argument);
  CHECK_THROWS_AS(
      im2col_nhwc({memory.data(), 1, 5, 5, 2}, {memory.data(), 1, 18, 18}, 3, {-1, 1}, nullptr),
      std::invalid_argument);
  CHECK_THROWS_AS(im2col_nhwc({nullptr, 1, 5, 5, 2}, {memory.data(), 9, 18, 18}, 3, {}, nullptr),
                  std::invalid_argument);
  CHECK_THROWS_AS(im2col_nhwc({memory.data(), 1, 5, 5, 2}, {nullptr, 9, 18, 18}, 3, {}, nullptr),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  const ConvolutionShape s{2, 32, 10, 10, 1, 3};
  const DeviceMatrix<float> in(s.n * s.h * s.w, s.c);
  DeviceMatrix<float> rows(s.out_pixels(), s.taps());
  expect_budget("im2col_nhwc", 8.0 * s.taps() * s.out_pixels(), [&] {
    im2col_nhwc({in.data(), s.n, s.h, s.w, s.c}, rows.view(), s.f, {});
  });
}

}  // namespace tut::ch13
