#include "13_convolution/im2col_nhwc.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "exercise_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "tut/far_case.hpp"

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

/// Fails unless every element of the input is there bit by bit, NaN and -0 too.
Outcome bits_outcome(const ConvolutionShape& s, const Guarded<float>& in,
                     const Guarded<float>& rows, const std::string& text) {
  for (int p = 0; p < rows.rows(); ++p) {
    for (int k = 0; k < rows.cols(); ++k) {
      const auto expected = static_cast<float>(expected_element(s, in, p, k));
      const float got = rows.cview()(p, k);
      if (bits_of(got) == bits_of(expected) ||
          (expected == 0 && got == 0 && !std::signbit(expected)))
        continue;
      return failure("values", "rows(" + std::to_string(p) + ", " + std::to_string(k) + ") is " +
                                   std::to_string(got) + "; expected " + std::to_string(expected) +
                                   " bit by bit (" + text + ", with infinities)");
    }
  }
  return {};
}

Outcome values_outcome(const ConvolutionShape& s, const Setting& setting) {
  const int pixels = s.out_pixels(), taps = s.taps();
  const int stride = setting.dense ? taps : taps + 3;
  Guarded<float> in = filled<float>(s.n * s.h, s.w * s.c, setting, 31, true);
  Guarded<float> rows(pixels, taps, stride, setting.dense ? 0 : setting.shifted ? 4097 : 4096);
  if (setting.fill == Fill::specials && in.cols() > 2) in.view()(0, 1) = -0.0f;
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
  if (setting.fill == Fill::specials) return bits_outcome(s, in_before, rows, text);
  const auto expected = make_matrix<double>(
      pixels, taps, [&](int p, int k) { return expected_element(s, in_before, p, k); });
  const auto exact = make_matrix<double>(pixels, taps, [](int, int) { return 0.0; });
  return first_failure({compare(rows.cview(), expected, exact, {.name = "rows", .shape = text}),
                        only_inside_changed(rows_before, rows, "rows", text),
                        nothing_changed(in_before, in, "in", text)});
}

/// Rows that lie 2^30 elements apart. Passes where there is no such memory.
Outcome far_outcome() {
  const ConvolutionShape s{1, 2, 2, 3, 1, 1};
  Guarded<float> in = filled<float>(s.h, s.w * s.c, dense_uniform, 32, true);
  const DeviceBuffer<float> image(in.memory());
  SparseMatrix<float> rows(s.out_pixels(), s.taps(), kFarStride);
  if (!rows.is_there()) return {};
  const std::string text = "rows 2^30 elements apart";
  const Outcome run = run_far(text, [&](cudaStream_t stream) {
    im2col_nhwc({image.data(), s.n, s.h, s.w, s.c}, rows.view(), s.f, {}, stream);
  });
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(
      s.out_pixels(), s.taps(), [&](int p, int k) { return expected_element(s, in, p, k); });
  const auto exact = make_matrix<double>(s.out_pixels(), s.taps(), [](int, int) { return 0.0; });
  return compare(rows.download().cview(), expected, exact, {.name = "rows", .shape = text});
}

}  // namespace

TEST_CASE("im2col_nhwc writes what each filter sees") {
  for (const ConvolutionShape& s :
       {ConvolutionShape{2, 3, 5, 4, 1, 3}, ConvolutionShape{1, 1, 1, 1, 1, 1},
        ConvolutionShape{2, 3, 5, 7, 1, 3, 1, 1}, ConvolutionShape{1, 32, 6, 5, 1, 3, 1, 2},
        ConvolutionShape{1, 33, 4, 3, 1, 2, 0, 1}, ConvolutionShape{3, 7, 11, 6, 1, 5, 2, 3},
        ConvolutionShape{1, 2, 1, 1, 1, 3, 1, 1}, ConvolutionShape{1, 31, 3, 9, 1, 1, 0, 2},
        ConvolutionShape{1, 3, 3, 4, 1, 2, 3, 2}}) {
    expect_in_all_settings([&](const Setting& setting) { return values_outcome(s, setting); });
  }
}

TEST_CASE("im2col_nhwc takes many pixels, images and channels, and rows that are far apart") {
  for (const ConvolutionShape& s :
       {ConvolutionShape{1, 1, 2, 20000, 1, 2}, ConvolutionShape{300, 1, 1, 1, 1, 1},
        ConvolutionShape{1, 5000, 2, 2, 1, 2}}) {
    expect(values_outcome(s, dense_uniform));
  }
  expect(far_outcome());
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
  expect_budget("im2col_nhwc", 8.0 * s.taps() * s.out_pixels(),
                [&] { return values_outcome(s, dense_uniform); });
}

}  // namespace tut::ch13
