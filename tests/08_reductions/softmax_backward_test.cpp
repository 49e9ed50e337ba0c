#include "08_reductions/softmax_backward.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch08 {
namespace {

/// Rows of probabilities: softmax of random numbers, rounded.
HostMatrix<float> probabilities(const HostMatrix<float>& x) {
  HostMatrix<float> y(x.rows(), x.cols());
  for (int i = 0; i < x.rows(); ++i) {
    double sum = 0;
    for (const float value : x.row(i)) sum += std::exp(double{value});
    for (int j = 0; j < x.cols(); ++j)
      y(i, j) = static_cast<float>(std::exp(double{x(i, j)}) / sum);
  }
  return y;
}

/// What the formula says, in double.
HostMatrix<double> gradient(const HostMatrix<float>& y, const HostMatrix<float>& g) {
  HostMatrix<double> result(y.rows(), y.cols());
  for (int i = 0; i < y.rows(); ++i) {
    double dot = 0;
    for (int j = 0; j < y.cols(); ++j) dot += static_cast<double>(y(i, j)) * g(i, j);
    for (int j = 0; j < y.cols(); ++j) result(i, j) = y(i, j) * (g(i, j) - dot);
  }
  return result;
}

/// With all probabilities 1/2 the gradient is linear: which elements of a row reach which.
std::string probe_backward(const RowCase& c) {
  constexpr float kHalf = 0.5f;
  Probe probe{{{"d_y", {c.rows, c.cols}}}, {"d_x", {c.rows, c.cols}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    HostMatrix<float> y(c.rows, c.cols), g(c.rows, c.cols);
    y.fill(kHalf);
    std::ranges::transform(inputs[0], g.data(), [](double x) { return static_cast<float>(x); });
    const HostMatrix<double> result = gradient(y, g);
    return Probe::Values(result.span().begin(), result.span().end());
  };
  probe.run = probe_on_device(
      probe.output, [=](const std::vector<const float*>& from, float* to, cudaStream_t stream) {
        const auto size = static_cast<std::size_t>(c.rows) * static_cast<std::size_t>(c.cols);
        const DeviceBuffer<float> y(std::vector<float>(size, kHalf));
        softmax_backward({y.data(), c.rows, c.cols, c.cols}, {from[0], c.rows, c.cols, c.cols},
                         {to, c.rows, c.cols, c.cols}, stream);
        check(cudaStreamSynchronize(stream));
      });
  return probe_one_hot(probe);
}

enum class Place { apart, on_d_y, on_y };
enum class Odd { none, y, d_y, d_x };  // which of the three lies at an odd place alone

/// exact: the sums must come out without any error.
Outcome backward_outcome(const RowCase& c, const HostMatrix<float>& y_values,
                         const HostMatrix<float>& g_values, bool exact, Place place = Place::apart,
                         Odd odd = Odd::none) {
  const auto place_of = [&](Odd which) {
    return RowCase{c.rows, c.cols, c.gap, odd == which ? 65 : c.guard};
  };
  Guarded<float> y = row_image(place_of(Odd::y), y_values),
                 d_y = row_image(place_of(Odd::d_y), g_values), d_x = row_image(place_of(Odd::d_x));
  const Guarded<float> y_before = y, d_y_before = d_y, d_x_before = d_x;
  static constexpr const char* names[] = {"", ", y at an odd place", ", d_y at an odd place",
                                          ", d_x at an odd place"};
  const std::string text = c.text() + names[static_cast<int>(odd)];
  Outcome run = run_on_device(
      ONE_LAUNCH, text,
      [&](cudaStream_t stream, auto p, auto g, auto out) {
        softmax_backward(p, g, place == Place::apart ? out : place == Place::on_y ? p : g, stream);
      },
      y, d_y, d_x);
  if (!run.ok) return run;
  const HostMatrix<double> expected = gradient(y_values, g_values);
  HostMatrix<double> bound(c.rows, c.cols);
  for (int i = 0; i < c.rows; ++i) {
    double magnitude = 0;
    for (int j = 0; j < c.cols; ++j) {
      magnitude += std::abs(static_cast<double>(y_values(i, j)) * g_values(i, j));
    }
    for (int j = 0; j < c.cols; ++j) {
      bound(i, j) = exact ? 0
                          : 0x1p-24 * std::abs(y_values(i, j)) *
                                (32 * magnitude + 4 * std::abs(g_values(i, j)));
    }
  }
  const bool on_y = place == Place::on_y, on_g = place == Place::on_d_y;
  return first_failure(
      {rows_outcome(on_y   ? y_before
                    : on_g ? d_y_before
                           : d_x_before,
                    on_y   ? y
                    : on_g ? d_y
                           : d_x,
                    expected, bound, "d_x", text, [=] { return probe_backward(c); }),
       on_y ? Outcome{} : nothing_changed(y_before, y, "y", text),
       on_g ? Outcome{} : nothing_changed(d_y_before, d_y, "d_y", text)});
}

}  // namespace

TEST_CASE("gradients of softmax for rows of any length") {
  expect(for_each_case(row_cases(4096), [&](const RowCase& c) {
    return backward_outcome(c, probabilities(uniform_rows(c, 1, -3, 3)), uniform_rows(c, 2), false);
  }));
}

TEST_CASE("gradients of softmax in small integers are exact") {
  for (const int cols : {1, 33, 256, 1020, 1021, 4096}) {
    const RowCase c{3, cols, 4, 64};
    HostMatrix<float> y(c.rows, cols), g(c.rows, cols);
    fill_small_integers(y, 3, 3);
    fill_small_integers(g, 4, 9);
    expect(backward_outcome(c, y, g, true));
    // One gradient that is not 0: it is in every element of its row.
    g.fill(0.0f);
    g(1, cols / 2) = 5.0f;
    expect(backward_outcome(c, y, g, true));
  }
}

TEST_CASE("gradients of softmax for tiny probabilities, and gradients of any size") {
  for (const int cols : {33, 1024}) {
    const RowCase c{3, cols, 0, 64};
    for (const float scale : {1e-15f, 1.0f, 1e30f}) {
      expect(backward_outcome(c, probabilities(uniform_rows(c, 11, -20, 20)),
                              uniform_rows(c, 12, -scale, scale), false));
    }
  }
}

TEST_CASE("gradients of softmax where one product is so large that others vanish beside it") {
  for (const int cols : {256, 1021, 4096}) {
    // What a thread of 256 adds up is just too little to change a sum that begins with the large
    // one: each has to be added to others of its size first.
    const RowCase c{3, cols, 0, 64};
    const float little = 0x1.fcp-26f / static_cast<float>((cols + 255) / 256);
    HostMatrix<float> y(c.rows, cols), g(c.rows, cols);
    y.fill(little);
    g.fill(1.0f);
    y(0, 0) = y(1, cols - 1) = y(2, cols / 2) = 1.0f;
    expect(backward_outcome(c, y, g, false));
  }
}

TEST_CASE("gradients of softmax where one of the three has no whole float4") {
  const RowCase c{3, 256, 0, 64};
  for (const Odd odd : {Odd::y, Odd::d_y, Odd::d_x}) {
    expect(backward_outcome(c, probabilities(uniform_rows(c, 9, -3, 3)), uniform_rows(c, 10), false,
                            Place::apart, odd));
  }
}

TEST_CASE("gradients of softmax in place") {
  for (const int cols : {7, 600, 601, 4096}) {
    const RowCase c{3, cols, 4, 64};
    for (const Place place : {Place::on_d_y, Place::on_y}) {
      expect(backward_outcome(c, probabilities(uniform_rows(c, 5, -3, 3)), uniform_rows(c, 6),
                              false, place));
    }
  }
}

TEST_CASE("gradients of softmax of many rows") {
  const RowCase c{2053, 5, 0, 64};
  expect(backward_outcome(c, probabilities(uniform_rows(c, 1, -3, 3)), uniform_rows(c, 2), false));
}

TEST_CASE("gradients of softmax of rows that lie far apart") {
  std::vector<FarCase> cases = far_cases();
  // Longer than a kernel for short rows takes.
  cases.push_back({37, 1500, kFarRowStride});
  cases.push_back({37, 1501, kFarRowStride + 1});
  cases.push_back({3, 1500, kFarStride});
  for (const FarCase& c : cases) {
    for (const char far : {'y', 'g', 'x'}) {
      const auto rows = [&](char name) {
        return SparseMatrix<float>(c.rows, c.cols, far == name ? c.stride : c.cols);
      };
      SparseMatrix<float> y = rows('y'), d_y = rows('g'), d_x = rows('x');
      if (!y.is_there() || !d_y.is_there() || !d_x.is_there()) continue;
      HostMatrix<float> y_values(c.rows, c.cols), g_values(c.rows, c.cols);
      fill_small_integers(y_values, 13, 3);
      fill_small_integers(g_values, 14, 9);
      y.upload(y_values);
      d_y.upload(g_values);
      const std::string text = "rows of " + std::to_string(c.cols) + ", those of " +
                               (far == 'y'   ? "y"
                                : far == 'g' ? "d_y"
                                             : "d_x") +
                               " " + far_text(c.stride);
      Outcome outcome = run_far(text, [&](cudaStream_t stream) {
        softmax_backward(y.cview(), d_y.cview(), d_x.view(), stream);
      });
      const auto exact = make_matrix<double>(c.rows, c.cols, [](int, int) { return 0.0; });
      if (outcome.ok) {
        outcome = compare(d_x.download().cview(), gradient(y_values, g_values), exact,
                          {.name = "d_x", .shape = text, .stride = d_x.cview().stride});
      }
      expect(outcome);
    }
  }
}

TEST_CASE("gradients of softmax with infinities and NaN follow the formula, row by row") {
  for (const int cols : {5, 64, 301}) {
    const RowCase c{7, cols, 0, 64};
    HostMatrix<float> y_values = probabilities(uniform_rows(c, 15, -3, 3)),
                      g_values = uniform_rows(c, 16);
    g_values(1, cols / 2) = INF;
    g_values(2, cols - 1) = NOT_A_NUMBER;
    g_values(4, 0) = -INF;
    y_values(4, 0) = 0.0f;  // 0 times an infinity: NaN
    y_values(5, 1) = NOT_A_NUMBER;
    y_values(6, cols / 3) = INF;  // times a difference, which is one from an infinite sum
    const HostMatrix<double> expected = gradient(y_values, g_values);
    Guarded<float> y = row_image(c, y_values), d_y = row_image(c, g_values), d_x = row_image(c);
    const std::string text = c.text() + ", infinities and NaN in rows 1, 2, 4, 5 and 6";
    Outcome outcome = run_on_device(
        ONE_LAUNCH, text,
        [](cudaStream_t stream, auto p, auto g, auto out) { softmax_backward(p, g, out, stream); },
        y, d_y, d_x);
    for (int i = 0; outcome.ok && i < c.rows; ++i) {
      const auto name_of = [&](std::size_t j) {
        return "d_x(" + std::to_string(i) + ", " + std::to_string(j) + ")";
      };
      const float* row = &d_x.cview()(i, 0);
      outcome =
          special_outcome({row, static_cast<std::size_t>(cols)}, expected.row(i), text, name_of);
    }
    expect(outcome);
  }
}

TEST_CASE("gradients of softmax are the slopes of a loss") {
  const RowCase c{2, 19, 0, 64};
  const HostMatrix<float> x = uniform_rows(c, 7, -2, 2), g = uniform_rows(c, 8);
  const DeviceMatrix<float> y(probabilities(x)), d_y(g);
  DeviceMatrix<float> d_x(c.rows, c.cols);
  softmax_backward(y.cview(), d_y.cview(), d_x.view());
  const HostMatrix<float> got = d_x.download();
  const auto loss = [&](int i, int moved, double step) {
    double sum = 0, all = 0;
    for (int j = 0; j < c.cols; ++j) {
      const double e = std::exp(x(i, j) + (j == moved ? step : 0.0));
      sum += e;
      all += g(i, j) * e;
    }
    return all / sum;
  };
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      const double slope = (loss(i, j, 1e-5) - loss(i, j, -1e-5)) / 2e-5;
      if (std::abs(got(i, j) - slope) <= 1e-6) continue;
      expect(failure("values", "the slope at row " + std::to_string(i) + ", column " +
                                   std::to_string(j) + " is " + value_text(slope) + ", d_x is " +
                                   value_text(got(i, j))));
    }
  }
}

TEST_CASE("softmax_backward refuses what does not fit") {
  DeviceMatrix<float> a(3, 4), wide(1, 4097);
  for (const auto& [rows, cols] : {std::pair{3, 5}, {3, 3}, {4, 4}, {2, 4}}) {
    INFO("3x4 beside ", rows, "x", cols);
    DeviceMatrix<float> b(rows, cols);
    CHECK_THROWS_AS(softmax_backward(b.cview(), a.cview(), a.view()), std::invalid_argument);
    CHECK_THROWS_AS(softmax_backward(a.cview(), b.cview(), a.view()), std::invalid_argument);
    CHECK_THROWS_AS(softmax_backward(a.cview(), a.cview(), b.view()), std::invalid_argument);
  }
  // Rows that overlap, no rows, no columns.
  MatrixView<float> fits = a.view();
  fits.rows = 2;
  MatrixView<float> narrow = fits;
  narrow.stride = 3;
  CHECK_THROWS_AS(softmax_backward(narrow, fits, fits), std::invalid_argument);
  CHECK_THROWS_AS(softmax_backward(fits, narrow, fits), std::invalid_argument);
  CHECK_THROWS_AS(softmax_backward(fits, fits, narrow), std::invalid_argument);
  for (const auto& [rows, cols] : {std::pair{0, 4}, {2, 0}}) {
    const MatrixView<float> none{a.view().data, rows, cols, 4};
    INFO("matrices of ", rows, "x", cols);
    CHECK_THROWS_AS(softmax_backward(none, none, none), std::invalid_argument);
  }
  CHECK_THROWS_AS(softmax_backward(wide.cview(), wide.cview(), wide.view()), std::invalid_argument);
}

TEST_CASE("gradients of softmax of as many rows as there may be") {
  const LongBuffer<float> some, other;
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         softmax_backward({some.data(), n, 1, 1}, {some.data(), n, 1, 1}, {other.data(), n, 1, 1},
                          stream);
       },
       "rows"},
      [](int n) {
        return backward_outcome({n, 1, 0, 64}, probabilities(uniform_rows({n, 1, 0, 64}, 1, -3, 3)),
                                uniform_rows({n, 1, 0, 64}, 2), false);
      },
      2053, MarkedParts("the gradient", other.data(), kLongSize)));
}

TEST_CASE("budget") {
  const RowCase c{16, 4096, 0, 0};
  expect_budget("softmax_backward", 12.0 * c.rows * c.cols, [&] {
    return backward_outcome(c, probabilities(uniform_rows(c, 1)), uniform_rows(c, 2), false);
  });
  // Short rows, and such as four does not divide, are read once as well.
  for (const int cols : {96, 1000, 4095}) {
    expect_bytes(12.0 * 4 * cols, [cols] {
      const RowCase c{4, cols, 0, 0};
      return backward_outcome(c, probabilities(uniform_rows(c, 1)), uniform_rows(c, 2), false);
    });
  }
  // Four divides what the elements of a block do not.
  expect_wide_accesses(15, 15, [] {
    const RowCase c{3, 4092, 0, 0};
    return backward_outcome(c, probabilities(uniform_rows(c, 1)), uniform_rows(c, 2), false);
  });
}

}  // namespace tut::ch08
