#include "08_reductions/mean_variance.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch08 {
namespace {

Outcome none_negative(const Guarded<float>& variance, const std::string& text) {
  for (int i = 0; i < variance.cols(); ++i) {
    const float value = variance.cview()(0, i);
    if (!(value < 0)) continue;
    char number[32];
    std::snprintf(number, sizeof(number), "%g", static_cast<double>(value));
    return failure("values", "variance " + std::to_string(i) + " is " + number +
                                 "; expected that none is negative (" + text + ")");
  }
  return {};
}

/// `relative`: of the variance, and of the mean relative to the largest value.
/// Which elements of a row reach its mean.
std::string probe_mean(const RowCase& c) {
  Probe probe{{{"in", {c.rows, c.cols}}}, {"mean", {c.rows}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    Probe::Values means(static_cast<std::size_t>(c.rows), 0.0);
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
      means[i / static_cast<std::size_t>(c.cols)] += inputs[0][i] / c.cols;
    }
    return means;
  };
  probe.run = probe_on_device(probe.output, [=](const std::vector<const float*>& from, float* to,
                                                cudaStream_t stream) {
    const auto rows = static_cast<std::size_t>(c.rows);
    const DeviceBuffer<float> variance(rows);
    mean_variance({from[0], c.rows, c.cols, c.cols}, {to, rows}, {variance.data(), rows}, stream);
    check(cudaStreamSynchronize(stream));
  });
  return probe_one_hot(probe);
}

Outcome mean_variance_outcome(const RowCase& c, const HostMatrix<float>& values, double relative) {
  const auto rows = static_cast<std::size_t>(c.rows);
  Guarded<float> in = row_image(c, values), mean = result_image<float>(rows), variance = mean;
  const Guarded<float> in_before = in, before = mean;
  const std::string text = c.text();
  Outcome run = run_on_device(
      ONE_LAUNCH, text,
      [&](cudaStream_t stream, auto from, auto to_mean, auto to_variance) {
        mean_variance(from, span_of(to_mean), span_of(to_variance), stream);
      },
      in, mean, variance);
  if (!run.ok) return run;
  std::vector<double> means, variances, mean_bounds, variance_bounds;
  for (int i = 0; i < c.rows; ++i) {
    double sum = 0, squares = 0, largest = 0;
    for (const float value : values.row(i)) {
      sum += value;
      largest = std::max(largest, std::abs(double{value}));
    }
    for (const float value : values.row(i)) squares += std::pow(value - sum / c.cols, 2);
    means.push_back(sum / c.cols);
    variances.push_back(squares / c.cols);
    mean_bounds.push_back(relative * largest);
    // A mean that is off by u * |mean| makes a group's squared distances wrong by its square.
    const double shift = 4 * 0x1p-24 * largest;
    variance_bounds.push_back(32 * relative * squares / c.cols +
                              8 * shift * (shift + std::sqrt(squares / c.cols)));
  }
  return first_failure(
      {vector_outcome(before, mean, means, mean_bounds, "mean", text,
                      [=] { return probe_mean(c); }),
       vector_outcome(before, variance, variances, variance_bounds, "variance", text),
       none_negative(variance, text), nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("mean and variance of rows of any length") {
  expect(for_each_case(row_cases(30000), [&](const RowCase& c) {
    return mean_variance_outcome(c, uniform_rows(c, 1, -1, 3), 1e-6);
  }));
}

TEST_CASE("mean and variance of many rows, and of a long one") {
  for (const RowCase& c : {RowCase{2053, 5, 0, 64}, RowCase{1, 300007, 0, 64}}) {
    expect(mean_variance_outcome(c, uniform_rows(c, 5, -1, 3), 1e-6));
  }
}

TEST_CASE("mean and variance of long rows whose parts have other means") {
  // Parts that one thread may take: the elements with the same remainder by 256, the fours with the
  // same, and neighbours. Of two counts that are joined the product is beyond 32 bits.
  for (const int cols : {300007, 300008}) {
    const RowCase c{3, cols, 0, 64};
    HostMatrix<float> values = uniform_rows(c, 8);
    for (int j = 0; j < cols; ++j) {
      values(0, j) += static_cast<float>(j % 256) / 64;
      values(1, j) += static_cast<float>(j / 4 % 256) / 64;
      values(2, j) += static_cast<float>(j) / 65536;
    }
    expect(mean_variance_outcome(c, values, 1e-6));
  }
}

TEST_CASE("mean and variance of rows of which one element lies far from the others") {
  for (const int cols : {1000, 300007}) {
    const RowCase c{3, cols, 0, 64};
    HostMatrix<float> values = uniform_rows(c, 9, -1, 3);
    values(0, 0) = values(1, cols / 2) = values(2, cols - 1) = 1e4f;
    expect(mean_variance_outcome(c, values, 1e-6));
  }
}

TEST_CASE("mean and variance of tiny and large values") {
  const RowCase c{3, 1021, 3, 64};
  for (const float scale : {1e-15f, 1e-9f, 1e9f, 1e15f}) {
    expect(mean_variance_outcome(c, uniform_rows(c, 6, -scale, 3 * scale), 1e-6));
  }
}

TEST_CASE("mean and variance of rows that lie far apart") {
  for (const FarCase& far : far_cases()) {
    const HostMatrix<float> values = uniform_rows({far.rows, far.cols, 0, 0}, 7);
    SparseMatrix<float> in(far.rows, far.cols, far.stride);
    if (!in.is_there()) return;
    in.upload(values);
    const DeviceBuffer<float> mean(far.rows), variance(far.rows);
    const std::string text = "rows of " + std::to_string(far.cols) + ", " + far_text(far.stride);
    Outcome outcome = run_far(text, [&](cudaStream_t stream) {
      mean_variance(in.cview(), {mean.data(), mean.size()}, {variance.data(), variance.size()},
                    stream);
    });
    std::vector<double> means, variances;
    for (int i = 0; i < far.rows; ++i) {
      double sum = 0, squares = 0;
      for (const float value : values.row(i)) sum += value;
      for (const float value : values.row(i)) squares += std::pow(value - sum / far.cols, 2);
      means.push_back(sum / far.cols);
      variances.push_back(squares / far.cols);
    }
    const auto mean_of = [](std::size_t i) { return "mean " + std::to_string(i); };
    const auto variance_of = [](std::size_t i) { return "variance " + std::to_string(i); };
    if (outcome.ok) outcome = special_outcome(mean.to_host(), means, text, mean_of);
    if (outcome.ok) outcome = special_outcome(variance.to_host(), variances, text, variance_of);
    expect(outcome);
  }
}

TEST_CASE("mean and variance of parts so far apart that float just holds the squares") {
  // N times the square of the distance is 2.9e38. Parts that one thread or warp may take, as above.
  for (const int cols : {10000, 10001}) {
    const RowCase c{5, cols, 0, 64};
    HostMatrix<float> values(c.rows, c.cols);
    values.fill(0.0f);
    for (int j = 0; j < cols; ++j) {
      if (j % 256 >= 128) values(0, j) = 1.7e17f;
      if (j / 4 % 256 >= 128) values(1, j) = 1.7e17f;
      if (j % 32 >= 16) values(2, j) = 1.7e17f;
      if (j / 4 % 32 >= 16) values(3, j) = 1.7e17f;
      if (j >= cols / 2) values(4, j) = 1.7e17f;
    }
    expect(mean_variance_outcome(c, values, 1e-6));
  }
}

TEST_CASE("a row with an infinity or a NaN has no finite results; the others have theirs") {
  for (const int cols : {1, 40, 300, 1024}) {
    const RowCase c{5, cols, 0, 64};
    HostMatrix<float> values(c.rows, cols);
    values.fill(3.0f);
    values(1, cols - 1) = INF;
    values(2, 0) = NOT_A_NUMBER;
    values(3, cols / 2) = -INF;
    Guarded<float> in = row_image(c, values), mean = result_image<float>(5), variance = mean;
    const std::string text = c.text() + ", infinities and a NaN in rows 1 to 3, and 3 elsewhere";
    Outcome outcome = run_on_device(
        ONE_LAUNCH, text,
        [](cudaStream_t stream, auto from, auto to_mean, auto to_variance) {
          mean_variance(from, span_of(to_mean), span_of(to_variance), stream);
        },
        in, mean, variance);
    for (int i = 0; outcome.ok && i < 5; ++i) {
      const float m = mean.cview()(0, i), v = variance.cview()(0, i);
      const bool right = i >= 1 && i <= 3
                             ? !std::isfinite(m) && !std::isfinite(v) && !is_unwritten(m)
                             : std::abs(m - 3.0f) <= 3e-6f && v >= 0.0f && v <= 4e-12f;
      if (right) continue;
      outcome = failure("values", "row " + std::to_string(i) + " has mean " + value_text(m) +
                                      ", variance " + value_text(v) + " (" + text + ")");
    }
    expect(outcome);
  }
}

TEST_CASE("mean and variance where the mean is ten thousand times the deviation") {
  for (const int cols : {100, 1000, 4093, 16384, 20000}) {
    const RowCase c{3, cols, 0, 64};
    expect(mean_variance_outcome(c, uniform_rows(c, 2, 1e4f - 1.7f, 1e4f + 1.7f), 1e-6));
  }
}

TEST_CASE("mean and variance of a value that all elements have") {
  for (const int cols : {1, 2, 3, 33, 256, 257, 4099, 8192}) {
    const RowCase c{2, cols, 0, 64};
    for (const float value : {0.0f, 3.0f, 1e4f, -0.5f}) {
      HostMatrix<float> values(c.rows, cols);
      values.fill(value);
      expect(mean_variance_outcome(c, values, 1e-6));
    }
    HostMatrix<float> values(c.rows, cols);
    values.fill(1e20f);  // whose square float does not hold
    expect(mean_variance_outcome(c, values, 1e-6));
    values.fill(0x1.8p125f);  // float holds the sum of four, and not that of eight
    expect(mean_variance_outcome(c, values, 1e-6));
  }
}

TEST_CASE("mean and variance with one value that differs") {
  for (const int place : {0, 3, 255, 1023, 1024, 4095, 5119}) {
    const RowCase c{2, 5120, 0, 64};
    HostMatrix<float> values(c.rows, c.cols);
    values.fill(0.0f);
    values(1, place) = 5120.0f;
    expect(mean_variance_outcome(c, values, 1e-6));
  }
}

TEST_CASE("mean_variance refuses another length, rows of nothing and rows that overlap") {
  const DeviceMatrix<float> in(3, 4);
  const DeviceBuffer<float> out(8);
  CHECK_THROWS_AS(mean_variance(in.cview(), {out.data(), 3}, {out.data() + 4, 4}),
                  std::invalid_argument);
  CHECK_THROWS_AS(mean_variance(in.cview(), {out.data(), 4}, {out.data() + 4, 3}),
                  std::invalid_argument);
  CHECK_THROWS_AS(mean_variance({in.cview().data, 3, 0, 4}, {out.data(), 3}, {out.data() + 4, 3}),
                  std::invalid_argument);
  CHECK_THROWS_AS(mean_variance({in.cview().data, 0, 4, 4}, {out.data(), 0}, {out.data() + 4, 0}),
                  std::invalid_argument);
  CHECK_THROWS_AS(mean_variance({in.cview().data, 3, 4, 3}, {out.data(), 3}, {out.data() + 4, 3}),
                  std::invalid_argument);
}

TEST_CASE("mean and variance of as many rows as there may be") {
  const LongBuffer<float> in, mean, variance;
  MarkedParts results("the means", mean.data(), kLongSize);
  results.add_ends("the variances", variance.data(), kLongSize);
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         const auto rows = static_cast<std::size_t>(n);
         mean_variance({in.data(), n, 1, 1}, {mean.data(), rows}, {variance.data(), rows}, stream);
       },
       "rows"},
      [](int n) {
        const RowCase c{n, 1, 0, 64};
        return mean_variance_outcome(c, uniform_rows(c, 5, -1, 3), 1e-6);
      },
      2053, results));
}

TEST_CASE("budget") {
  const RowCase c{8, 20480, 0, 0};  // rows too long for the registers of a block
  expect_budget("mean_variance", 4.0 * c.rows * c.cols + 64.0 * c.rows,
                [&] { return mean_variance_outcome(c, uniform_rows(c, 4), 1e-6); });
  for (const int cols : {96, 1000, 4095}) {
    expect_bytes(4.0 * 4 * cols + 64.0 * 4, [cols] {
      const RowCase other{4, cols, 0, 0};
      return mean_variance_outcome(other, uniform_rows(other, 4), 1e-6);
    });
  }
  // Four divides what the elements of a block do not.
  expect_wide_accesses(15, 0, [] {
    const RowCase c{3, 4100, 0, 0};
    return mean_variance_outcome(c, uniform_rows(c, 4), 1e-6);
  });
}

}  // namespace tut::ch08
