#include "13_convolution/im2col_nhwc.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

#include "../refusal_case.hpp"
#include "exercise_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/math.hpp"
#include "tut/trial/far_case.hpp"

namespace tut::ch13 {
namespace {

// Which element of the input the matrix must hold at (p, k), said without the chapter's index maps;
// -1 in the padding.
std::int64_t expected_place(const ConvolutionShape& s, int p, int k) {
  const int c = k % s.c, j = k / s.c % s.f, i = k / s.c / s.f;
  const int x = p % s.out_w(), y = p / s.out_w() % s.out_h(), n = p / s.out_w() / s.out_h();
  const int in_y = y * s.stride + i - s.padding, in_x = x * s.stride + j - s.padding;
  if (in_y < 0 || in_y >= s.h || in_x < 0 || in_x >= s.w) return -1;
  return ((std::int64_t{n} * s.h + in_y) * s.w + in_x) * s.c + c;
}

double expected_element(const ConvolutionShape& s, const Guarded<float>& in, int p, int k) {
  const std::int64_t place = expected_place(s, p, k);
  return place < 0 ? 0.0 : at(in, place);
}

/// "in(0, 1, 2, 0)", or that it is padding.
std::string element_text(const ConvolutionShape& s, std::int64_t place) {
  if (place < 0) return "0, in the padding";
  std::string text;
  for (const int size : {s.c, s.w, s.h}) {
    text = ", " + std::to_string(place % size) + text;
    place /= size;
  }
  return "in(" + std::to_string(place) + text + ")";
}

/// Where the first wrong element comes from: in random images every number is there once. "" if it
/// is none of them.
std::string source_of_first_wrong(const ConvolutionShape& s, const Guarded<float>& in,
                                  const Guarded<float>& rows) {
  const std::int64_t size = std::int64_t{s.n} * s.h * s.w * s.c;
  for (int p = 0; p < rows.rows(); ++p) {
    for (int k = 0; k < rows.cols(); ++k) {
      const std::int64_t expected = expected_place(s, p, k);
      const double got = rows.cview()(p, k);
      if (got == (expected < 0 ? 0.0 : at(in, expected))) continue;
      std::int64_t place = 0;
      while (place < size && at(in, place) != got) ++place;
      if (place == size && got != 0) return "";
      return "rows(" + std::to_string(p) + ", " + std::to_string(k) + ") holds " +
             element_text(s, place == size ? -1 : place) + ", expected " +
             element_text(s, expected);
    }
  }
  return "";
}

std::string bits_text(float value) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", bits_of(value));
  return text;
}

/// Fails unless every element of the input is there bit by bit, whatever its bits mean.
Outcome bits_outcome(const ConvolutionShape& s, const Guarded<float>& in,
                     const Guarded<float>& rows, const std::string& text) {
  for (int p = 0; p < rows.rows(); ++p) {
    for (int k = 0; k < rows.cols(); ++k) {
      const std::int64_t place = expected_place(s, p, k);
      const float expected = place < 0 ? 0.0f : in.cview().data[place];
      const float got = rows.cview()(p, k);
      if (bits_of(got) == bits_of(expected) || (place < 0 && got == 0)) continue;
      return failure("values", "rows(" + std::to_string(p) + ", " + std::to_string(k) + ") is " +
                                   value_text(got) + " with bits " + bits_text(got) +
                                   "; expected " + value_text(expected) + " with bits " +
                                   bits_text(expected) + ", bit by bit (" + text +
                                   ", with infinities)");
    }
  }
  return {};
}

/// Any bits: behind the values that `filled` has for a special case come some of every kind, NaN
/// that are told apart and numbers below the normal ones among them.
void fill_bits(Guarded<float>& in) {
  constexpr std::array<std::uint32_t, 6> SOME{0x80000000, 0xFFC00001, 0x7F800123,
                                              0x00000001, 0x807FFFFF, 0x7FC54321};
  for (int r = 0; r < in.rows(); ++r) {
    for (int c = 1; c < in.cols(); c += 2) {
      const auto i = static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(in.cols()) +
                     static_cast<std::uint64_t>(c);
      const auto any = static_cast<std::uint32_t>(drawn_bits(33, i));
      in.view()(r, c) = std::bit_cast<float>(i / 2 % 3 == 0 ? SOME[i / 6 % SOME.size()] : any);
    }
  }
}

Outcome values_outcome(const ConvolutionShape& s, const Setting& setting) {
  const int pixels = s.out_pixels(), taps = s.taps();
  const int stride = setting.dense ? taps : taps + 3;
  Guarded<float> in = filled<float>(s.n * s.h, s.w * s.c, setting, 31, true);
  Guarded<float> rows(pixels, taps, stride, setting.dense ? 0 : setting.shifted ? 4097 : 4096);
  if (setting.fill == Fill::specials) fill_bits(in);
  const Guarded<float> in_before = in, rows_before = rows;
  const std::string text = std::to_string(s.n) + " images of " + std::to_string(s.h) + "x" +
                           std::to_string(s.w) + "x" + std::to_string(s.c) + ", side " +
                           std::to_string(s.f) + ", padding " + std::to_string(s.padding) +
                           ", stride " + std::to_string(s.stride);
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
  CompareOptions comparison{.name = "rows", .shape = text, .pattern = {}};
  comparison.pattern = [&](const Mismatch& m) {
    return m.unwritten > 0 ? "" : source_of_first_wrong(s, in_before, rows);
  };
  return first_failure({compare(rows.cview(), expected, exact, comparison),
                        only_inside_changed(rows_before, rows, "rows", text),
                        nothing_changed(in_before, in, "in", text)});
}

/// Rows that lie far apart, of so many channels. Passes where there is no such memory.
Outcome far_outcome(int channels) {
  const ConvolutionShape s{1, channels, 2, 3, 1, 1};
  Guarded<float> in = filled<float>(s.h, s.w * s.c, dense_uniform, 32, true);
  const DeviceBuffer<float> image(in.memory());
  SparseMatrix<float> rows(s.out_pixels(), s.taps(), kFarStride);
  if (!rows.is_there()) return {};
  const std::string text = "rows of " + std::to_string(channels) + ", " + far_text(kFarStride);
  const Outcome run = run_far(text, [&](cudaStream_t stream) {
    im2col_nhwc({image.data(), s.n, s.h, s.w, s.c}, rows.view(), s.f, {}, stream);
  });
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(
      s.out_pixels(), s.taps(), [&](int p, int k) { return expected_element(s, in, p, k); });
  const auto exact = make_matrix<double>(s.out_pixels(), s.taps(), [](int, int) { return 0.0; });
  return compare(rows.download().cview(), expected, exact,
                 {.name = "rows", .shape = text, .stride = rows.cview().stride});
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

TEST_CASE("im2col_nhwc with any side, stride and padding together") {
  for (const int side : {1, 2, 3, 4}) {
    for (const int stride : {1, 2, 3, 5, 1 << 21}) {
      for (const int padding : {0, 1, 3, 6, 1 << 20}) {
        const ConvolutionShape s{1, 3, 4, 5, 1, side, padding, stride};
        if (padding > 6 && stride < padding) continue;  // too many pixels, nearly all padding
        expect(values_outcome(s, dense_uniform));
      }
    }
  }
}

TEST_CASE("im2col_nhwc takes many pixels, images and channels, and rows that are far apart") {
  for (const ConvolutionShape& s :
       {ConvolutionShape{1, 1, 2, 20000, 1, 2}, ConvolutionShape{300, 1, 1, 1, 1, 1},
        ConvolutionShape{1, 5000, 2, 2, 1, 2}}) {
    expect(values_outcome(s, dense_uniform));
  }
  // Also such as vectors and warps take.
  for (const int channels : {2, 4, 32}) expect(far_outcome(channels));
}

TEST_CASE("im2col_nhwc of as many pixels, or channels, as there may be") {
  const auto reach = [](const std::function<ConvolutionShape(int)>& shape_of, int tried, int most) {
    const ConvolutionShape largest = shape_of(most);
    const std::size_t size =
        static_cast<std::size_t>(largest.out_pixels()) * static_cast<std::size_t>(largest.taps());
    const LongBuffer<float> in, rows(size);
    return grid_reach_outcome(
        {[&](cudaStream_t stream, int n) {
           const ConvolutionShape s = shape_of(n);
           im2col_nhwc({in.data(), s.n, s.h, s.w, s.c},
                       {rows.data(), s.out_pixels(), s.taps(), s.taps()}, s.f, {}, stream);
         },
         growing_size(shape_of)},
        [&](int n) { return values_outcome(shape_of(n), dense_uniform); }, tried,
        MarkedParts("the matrix", rows.data(), size), most);
  };
  expect(reach([](int n) { return ConvolutionShape{1, 1, 1, n, 1, 1}; }, 19999, 400'000'000));
  expect(reach([](int n) { return ConvolutionShape{1, n, 1, 1, 1, 1}; }, 20000, (1 << 21) - 32));
  expect(reach([](int n) { return ConvolutionShape{1, 1, n, 1, 1, 1}; }, 11, 400'000'000));
  expect(reach([](int n) { return ConvolutionShape{n, 1, 1, 1, 1, 1}; }, 300, 400'000'000));
  for (const int cols : {30011, 7}) {
    expect(large_image_outcome(
        cols, [](int h, int w) { return ConvolutionShape{1, 1, h, w, 1, 1}; },
        [](const ConvolutionShape& s, const float* in, const float*, const float*, float* out,
           cudaStream_t stream) {
          im2col_nhwc({in, 1, s.h, s.w, 1}, {out, s.out_pixels(), 1, 1}, 1, {}, stream);
        },
        [](const ConvolutionShape& s) { return values_outcome(s, dense_uniform); }));
  }
  // More elements than an int counts, of an input that is small beside them: a number of halves.
  for (const int channels : {32, 31}) {
    const int half = channels * 7 * 7 / 2, halves = 1'500'000 * half;
    expect(
        reach([=](int n) { return ConvolutionShape{1, channels, 7, ceil_div(n, half) + 6, 1, 7}; },
              halves, halves));
  }
}

TEST_CASE("im2col_nhwc refuses a matrix of the wrong shape") {
  const DeviceBuffer<float> memory(2000);
  float* data = memory.data();
  // Filters of 3 x 3 have 9 places on 5 x 5 pixels of 2 channels.
  const auto refused = [&](NhwcView<const float> in, MatrixView<float> rows, int side = 3,
                           Conv2dOptions options = {}) {
    char text[300];
    std::snprintf(
        text, sizeof text,
        "im2col_nhwc of in (%d, %d, %d, %d)%s and rows %dx%d, stride %lld%s, with side %d, "
        "padding %d, stride %d",
        in.n, in.h, in.w, in.c, in.data == nullptr ? ", a null pointer," : "", rows.rows, rows.cols,
        static_cast<long long>(rows.stride), rows.data == nullptr ? ", a null pointer," : "", side,
        options.padding, options.stride);
    expect(refusal_outcome(text, [&] { im2col_nhwc(in, rows, side, options); }));
  };
  for (const int more : {-1, 1}) {
    refused({data, 1 + more, 5, 5, 2}, {data, 9, 18, 18});
    refused({data, 1, 5 + more, 5, 2}, {data, 9, 18, 18});
    refused({data, 1, 5, 5 + more, 2}, {data, 9, 18, 18});
    refused({data, 1, 5, 5, 2 + more}, {data, 9, 18, 18});
    refused({data, 1, 5, 5, 2}, {data, 9 + more, 18, 18});
    refused({data, 1, 5, 5, 2}, {data, 9, 18 + more, 19});
    refused({data, 1, 5, 5, 2}, {data, 9, 18, 18}, 3 + more);
  }
  refused({data, 1, 5, 5, 2}, {data, 9, 18, 17});
  refused({data, 1, 5, 5, 2}, {data, 1, 18, 18}, 3, {-1, 1});
  refused({data, 1, 3, 3, 2}, {data, 1, 18, 18}, 3, {0, 0});
  // Sizes below 1 that would fit.
  refused({data, 1, 5, 5, 2}, {data, 36, 0, 1}, 0);
  refused({data, 1, 5, 5, 2}, {data, 81, 18, 18}, -3);
  refused({data, 0, 5, 5, 2}, {data, 0, 18, 18});
  refused({data, 1, 5, 5, 0}, {data, 9, 0, 1});
  refused({data, 1, 0, 5, 2}, {data, 14, 18, 18}, 3, {2, 1});
  refused({data, 1, 2, 5, 2}, {data, 0, 18, 18});
  refused({data, 1, 1, 2, 1}, {data, 6, 25, 25}, 5);  // two sides below 1
  refused({nullptr, 1, 5, 5, 2}, {data, 9, 18, 18});
  refused({data, 1, 5, 5, 2}, {nullptr, 9, 18, 18});
}

TEST_CASE("budget") {
  const ConvolutionShape s{2, 32, 10, 10, 1, 3};
  expect_budget("im2col_nhwc", 8.0 * s.taps() * s.out_pixels(),
                [&] { return values_outcome(s, dense_uniform); });
  for (const ConvolutionShape& other :
       {ConvolutionShape{1, 64, 9, 9, 1, 1}, ConvolutionShape{3, 8, 10, 10, 1, 5}}) {
    expect_cost(8.0 * other.taps() * other.out_pixels(),
                [&] { return values_outcome(other, dense_uniform); });
  }
}

}  // namespace tut::ch13
