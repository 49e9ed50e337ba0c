#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "08_reductions/layer_norm.hpp"
#include "08_reductions/rms_norm.hpp"
#include "reduction_case.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/device_matrix.hpp"

namespace tut::ch08 {
namespace {

using Doubles = std::vector<double>;

constexpr double EPSILON = 1e-5;

/// Mean (0 for RMS norm) and inverse deviation of a row, in double.
struct Statistics {
  double mean = 0, inverse = 0;
};
Statistics statistics_of(const Doubles& row, bool centred) {
  Statistics s;
  const auto count = static_cast<double>(row.size());
  if (centred) {
    for (const double value : row) s.mean += value / count;
  }
  double squares = 0;
  for (const double value : row) squares += (value - s.mean) * (value - s.mean);
  s.inverse = 1 / std::sqrt(squares / count + EPSILON);
  return s;
}

/// One batch for layer norm or RMS norm on the host.
struct Batch {
  RowCase shape;
  bool centred;
  HostMatrix<float> in, d_out;
  std::vector<float> scale, shift;

  Batch(const RowCase& c, bool is_centred, float mean = 0.5f)
      : shape(c),
        centred(is_centred),
        in(uniform_rows(c, 1, mean - 2, mean + 2)),
        d_out(uniform_rows(c, 2)),
        scale(uniform_values(static_cast<std::size_t>(c.cols), 3, 0.5f, 1.5f)),
        shift(uniform_values(static_cast<std::size_t>(c.cols), 4)) {
    if (!centred) std::ranges::fill(shift, 0.0f);
  }
  Doubles row(int i) const { return Doubles(in.row(i).begin(), in.row(i).end()); }
};

/// What a batch becomes.
struct Images {
  explicit Images(const Batch& b)
      : in(row_image(b.shape, b.in)),
        d_out(row_image(b.shape, b.d_out)),
        scale(vector_image(b.scale)),
        shift(vector_image(b.shift)),
        out(row_image(b.shape)),
        d_in(row_image(b.shape)),
        mean(result_image<float>(static_cast<std::size_t>(b.shape.rows))),
        inverse(mean),
        d_scale(result_image<float>(static_cast<std::size_t>(b.shape.cols))),
        d_shift(d_scale) {}
  Guarded<float> in, d_out, scale, shift, out, d_in, mean, inverse, d_scale, d_shift;
};

Outcome forward(const Batch& b, Images& images) {
  return run_on_device(
      b.shape.text(),
      [&](cudaStream_t stream, auto in, auto scale, auto shift, auto out, auto mean, auto inverse) {
        if (b.centred) {
          layer_norm(in, span_of(scale), span_of(shift), out, span_of(mean), span_of(inverse),
                     1e-5f, stream);
        } else {
          rms_norm(in, span_of(scale), out, span_of(inverse), 1e-5f, stream);
        }
      },
      images.in, images.scale, images.shift, images.out, images.mean, images.inverse);
}

Outcome backward(const Batch& b, Images& images, bool in_place = false) {
  if (in_place) images.d_in = images.d_out;
  const std::size_t size = b.centred ? layer_norm_backward_scratch(b.shape.rows, b.shape.cols)
                                     : rms_norm_backward_scratch(b.shape.rows, b.shape.cols);
  const DeviceBuffer<float> memory(size);
  const std::span<float> scratch{memory.data(), size};
  return run_on_device(
      {.at_once = false}, b.shape.text(),
      [&](cudaStream_t stream, auto in, auto d_out, auto scale, auto mean, auto inverse, auto d_in,
          auto d_scale, auto d_shift) {
        const auto from = in_place ? d_in : d_out;
        if (b.centred) {
          layer_norm_backward(in, from, span_of(scale), span_of(mean), span_of(inverse), d_in,
                              span_of(d_scale), span_of(d_shift), scratch, stream);
        } else {
          rms_norm_backward(in, from, span_of(scale), span_of(inverse), d_in, span_of(d_scale),
                            scratch, stream);
        }
      },
      images.in, images.d_out, images.scale, images.mean, images.inverse, images.d_in,
      images.d_scale, images.d_shift);
}

/// What rounding the mean does to (in - mean) * inverse, and the rest.
double normalised_error(const Statistics& s, double x) {
  return 0x1p-24 * (16 * (std::abs(s.mean) + 1) * s.inverse + 64 * std::abs(x));
}

Outcome forward_outcome(const Batch& b) {
  Images images(b);
  const Images before = images;
  Outcome run = forward(b, images);
  if (!run.ok) return run;
  const int rows = b.shape.rows, cols = b.shape.cols;
  HostMatrix<double> expected(rows, cols), bound(rows, cols);
  Doubles means, inverses, mean_bounds, inverse_bounds;
  for (int i = 0; i < rows; ++i) {
    const Statistics s = statistics_of(b.row(i), b.centred);
    means.push_back(s.mean), mean_bounds.push_back(16 * 0x1p-24 * (std::abs(s.mean) + 2));
    inverses.push_back(s.inverse), inverse_bounds.push_back(64 * 0x1p-24 * s.inverse);
    for (int j = 0; j < cols; ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double x = (b.in(i, j) - s.mean) * s.inverse;
      expected(i, j) = x * b.scale[column] + b.shift[column];
      bound(i, j) = 2 * normalised_error(s, x) + 0x1p-23 * std::abs(b.shift[column]);
    }
  }
  const std::string text = b.shape.text();
  Outcome outcome = first_failure(
      {rows_outcome(before.out, images.out, expected, bound, "out", text),
       vector_outcome(before.inverse, images.inverse, inverses, inverse_bounds, "inverse", text),
       nothing_changed(before.in, images.in, "in", text),
       nothing_changed(before.scale, images.scale, "scale", text, true),
       nothing_changed(before.shift, images.shift, "shift", text, true)});
  if (!outcome.ok || !b.centred) return outcome;
  return vector_outcome(before.mean, images.mean, means, mean_bounds, "mean", text);
}

/// The gradients by the formulas, in double.
struct Gradients {
  explicit Gradients(const Batch& b)
      : d_in(b.shape.rows, b.shape.cols),
        bound(b.shape.rows, b.shape.cols),
        d_scale(b.scale.size()),
        d_shift(b.scale.size()),
        scale_bound(b.scale.size(), 1e-30),
        shift_bound(b.scale.size(), 1e-30) {
    for (int i = 0; i < b.shape.rows; ++i) add_row(b, i);
  }
  void add_row(const Batch& b, int i) {
    const Statistics s = statistics_of(b.row(i), b.centred);
    const auto x = [&](int j) { return (b.in(i, j) - s.mean) * s.inverse; };
    const auto g = [&](int j) {
      return double{b.d_out(i, j)} * b.scale[static_cast<std::size_t>(j)];
    };
    double mean_g = 0, mean_gx = 0, size = 0;
    for (int j = 0; j < b.shape.cols; ++j) {
      if (b.centred) mean_g += g(j) / b.shape.cols;
      mean_gx += g(j) * x(j) / b.shape.cols;
      size = std::max({size, std::abs(g(j)), std::abs(g(j) * x(j)), std::abs(x(j))});
    }
    for (int j = 0; j < b.shape.cols; ++j) {
      const auto column = static_cast<std::size_t>(j);
      d_in(i, j) = s.inverse * (g(j) - mean_g - x(j) * mean_gx);
      bound(i, j) = s.inverse * (4 * (1 + size) * normalised_error(s, x(j)) + 64 * 0x1p-24 * size);
      const double d = b.d_out(i, j);
      d_scale[column] += d * x(j);
      d_shift[column] += d;
      scale_bound[column] += 2 * std::abs(d) * normalised_error(s, x(j));
      shift_bound[column] += 16 * 0x1p-24 * std::abs(d);
    }
  }
  HostMatrix<double> d_in, bound;
  Doubles d_scale, d_shift, scale_bound, shift_bound;
};

Outcome backward_outcome(const Batch& b, bool in_place = false) {
  Images images(b);
  Outcome run = forward(b, images);
  if (!run.ok) return run;
  const Images before = images;
  run = backward(b, images, in_place);
  if (!run.ok) return run;
  const Gradients expected(b);
  const std::string text = b.shape.text();
  Outcome outcome =
      first_failure({rows_outcome(in_place ? before.d_out : before.d_in, images.d_in, expected.d_in,
                                  expected.bound, "d_in", text),
                     vector_outcome(before.d_scale, images.d_scale, expected.d_scale,
                                    expected.scale_bound, "d_scale", text),
                     nothing_changed(before.in, images.in, "in", text),
                     nothing_changed(before.d_out, images.d_out, "d_out", text),
                     nothing_changed(before.scale, images.scale, "scale", text, true),
                     nothing_changed(before.inverse, images.inverse, "inverse", text, true)});
  if (!outcome.ok || !b.centred) return outcome;
  return vector_outcome(before.d_shift, images.d_shift, expected.d_shift, expected.shift_bound,
                        "d_shift", text);
}

/// The loss that the gradients are checked on: the sum of d_out * out, in double.
double loss(const Batch& b, const HostMatrix<double>& in, const Doubles& scale,
            const Doubles& shift) {
  double sum = 0;
  for (int i = 0; i < b.shape.rows; ++i) {
    const Doubles row(in.row(i).begin(), in.row(i).end());
    const Statistics s = statistics_of(row, b.centred);
    for (int j = 0; j < b.shape.cols; ++j) {
      const auto column = static_cast<std::size_t>(j);
      sum += b.d_out(i, j) * ((row[column] - s.mean) * s.inverse * scale[column] + shift[column]);
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("layer norm and RMS norm of rows of any length") {
  for (const bool centred : {true, false}) {
    expect(for_each_case(row_cases(LONGEST_NORM_ROW),
                         [&](const RowCase& c) { return forward_outcome(Batch(c, centred)); }));
  }
}

TEST_CASE("layer norm where the mean is ten thousand times the deviation") {
  for (const int cols : {100, 1000, 4096, 16384}) {
    const Batch b({3, cols, 0, 64}, true, 1e4f);
    expect(forward_outcome(b));
    // What the difference of two large sums would leave of the variance, in FP32.
    float sum = 0, squares = 0;
    for (const float value : b.in.row(0)) {
      sum += value;
      squares += value * value;
    }
    const float mean = sum / static_cast<float>(cols);
    const double naive = squares / static_cast<float>(cols) - mean * mean;
    const double inverse = statistics_of(b.row(0), true).inverse;
    CHECK(!(std::abs(1 / std::sqrt(naive + EPSILON) - inverse) <= 0.01 * inverse));
  }
}

TEST_CASE("gradients of layer norm and RMS norm for rows of any length") {
  for (const bool centred : {true, false}) {
    expect(for_each_case(row_cases(LONGEST_NORM_ROW),
                         [&](const RowCase& c) { return backward_outcome(Batch(c, centred)); }));
    expect(backward_outcome(Batch({700, 40, 0, 64}, centred)));
    expect(backward_outcome(Batch({9, 1000, 4, 64}, centred), true));
  }
}

TEST_CASE("gradients of layer norm and RMS norm are the slopes of the loss") {
  for (const bool centred : {true, false}) {
    const Batch b({4, 37, 0, 64}, centred);
    Images images(b);
    expect(forward(b, images));
    expect(backward(b, images));
    HostMatrix<double> in = to_double_matrix(b.in.cview());
    Doubles scale(b.scale.begin(), b.scale.end()), shift(b.shift.begin(), b.shift.end());
    const auto slope = [&](double& parameter) {
      constexpr double STEP = 1e-5;
      const double at = parameter;
      parameter = at + STEP;
      const double above = loss(b, in, scale, shift);
      parameter = at - STEP;
      const double below = loss(b, in, scale, shift);
      parameter = at;
      return (above - below) / (2 * STEP);
    };
    for (int j = 0; j < b.shape.cols; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int i = 0; i < b.shape.rows; ++i) {
        CHECK(std::abs(images.d_in.cview()(i, j) - slope(in(i, j))) <= 2e-6);
      }
      CHECK(std::abs(images.d_scale.cview()(0, j) - slope(scale[column])) <= 5e-6);
      if (centred) CHECK(std::abs(images.d_shift.cview()(0, j) - slope(shift[column])) <= 5e-6);
    }
  }
}

TEST_CASE("the gradients of the norms have the same bits each time") {
  const Batch b({700, 133, 0, 64}, true);
  Images images(b);
  expect(forward(b, images));
  Images again = images;
  expect(backward(b, images));
  expect(backward(b, again));
  CHECK(same_bits(images.d_in, again.d_in));
  CHECK(same_bits(images.d_scale, again.d_scale));
  CHECK(same_bits(images.d_shift, again.d_shift));
}

TEST_CASE("the norms refuse what does not fit") {
  DeviceMatrix<float> a(2, 8), b(2, 9), wide(1, LONGEST_NORM_ROW + 1), out(1, LONGEST_NORM_ROW + 1);
  const DeviceBuffer<float> memory(2 * LONGEST_NORM_ROW);
  const auto span = [&](int size) {
    return std::span(memory.data(), static_cast<std::size_t>(size));
  };
  const std::size_t needed = layer_norm_backward_scratch(2, 8);
  CHECK(needed == 32);
  CHECK_THROWS_AS(layer_norm(a.cview(), span(8), span(8), b.view(), span(2), span(2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(layer_norm(a.cview(), span(7), span(8), a.view(), span(2), span(2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(layer_norm(a.cview(), span(8), span(8), a.view(), span(3), span(2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(rms_norm(a.cview(), span(8), a.view(), span(2), 0.0f), std::invalid_argument);
  CHECK_THROWS_AS(rms_norm(wide.cview(), span(LONGEST_NORM_ROW + 1), out.view(), span(1)),
                  std::invalid_argument);
  CHECK_THROWS_AS(layer_norm_backward(a.cview(), a.cview(), span(8), span(2), span(2), a.view(),
                                      span(8), span(8), span(31)),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      rms_norm_backward(a.cview(), b.cview(), span(8), span(2), a.view(), span(8), span(16)),
      std::invalid_argument);
}

}  // namespace tut::ch08
