#include "08_reductions/log_sum_exp.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "reduction_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut::ch08 {
namespace {

double log_sum_exp_of(std::span<const float> row) {
  double largest = -INF, sum = 0;
  for (const float value : row) {
    if (std::isnan(value)) return NAN;
    largest = std::fmax(largest, value);
  }
  if (std::isinf(largest)) return largest;
  for (const float value : row) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

/// In zeros with a large value at the end only that value counts; a sum that is not rescaled when
/// the maximum grows counts the zeros as if they were as large.
std::string missing_rescale(const RowCase& c, double hot, const Probe::Function& on_device) {
  const auto results_with_hot_at = [&](int place) {
    Probe::Values rows(static_cast<std::size_t>(c.rows) * static_cast<std::size_t>(c.cols), 0.0);
    for (std::size_t row = 0; row < rows.size(); row += static_cast<std::size_t>(c.cols)) {
      rows[row + static_cast<std::size_t>(place)] = hot;
    }
    return on_device({rows});
  };
  const auto counts_zeros = [&](double result) {
    return result > hot + 0.5 && result < hot + std::log(c.cols) + 0.1;
  };
  // Where it comes first, no thread's own maximum grows: theirs are joined with a larger one.
  const Probe::Values falling = results_with_hot_at(0);
  if (std::ranges::any_of(falling, counts_zeros)) {
    return "a row of zeros that begins with " + number_text(hot) + " gives " +
           number_text(*std::ranges::find_if(falling, counts_zeros)) + "; expected " +
           number_text(hot) +
           ": where the sums of threads are joined, each is to be multiplied by exp(its own "
           "maximum - the maximum of both)";
  }
  for (const double result : results_with_hot_at(c.cols - 1)) {
    if (counts_zeros(result)) {
      return "a row of zeros that ends with " + number_text(hot) + " gives " + number_text(result) +
             "; expected " + number_text(hot) +
             ": where the maximum grows, the sum so far is to be multiplied by exp(old maximum - "
             "new maximum)";
    }
  }
  return "";
}

/// Which elements of a row reach its result: one of kHot among zeros is the result, and if it is
/// left out, that is the logarithm of a count.
std::string probe_log_sum_exp(const RowCase& c) {
  constexpr double kHot = 50;
  constexpr int kLeast = 4;  // of fewer the logarithm may be 0, as if the largest were forgotten
  if (c.cols < kLeast) return "";
  Probe probe{{{"in", {c.rows, c.cols}}}, {"out", {c.rows}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    Probe::Values counts(static_cast<std::size_t>(c.rows), 0.0);
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
      counts[i / static_cast<std::size_t>(c.cols)] += inputs[0][i];
    }
    return counts;
  };
  const Probe::Function on_device = probe_on_device(probe.output, [=](const std::vector<
                                                                          const float*>& from,
                                                                      float* to,
                                                                      cudaStream_t stream) {
    log_sum_exp({from[0], c.rows, c.cols, c.cols}, {to, static_cast<std::size_t>(c.rows)}, stream);
  });
  if (const std::string text = missing_rescale(c, kHot, on_device); !text.empty()) return text;
  probe.run = [=](std::vector<Probe::Values> inputs) {
    for (double& value : inputs[0]) value *= kHot;
    Probe::Values results = on_device(inputs);
    for (double& result : results) {
      const bool is_hot = std::abs(result - kHot) < 0.1;
      const bool is_count = result > 0.5 && result < std::log(c.cols) + 0.1;
      if (!is_hot && !is_count) throw std::runtime_error("another mistake");
      result = is_hot ? 1 : 0;
    }
    return results;
  };
  return probe_one_hot(probe);
}

/// Whether the result is right, within `error`; NaN and infinities where they belong.
Outcome log_sum_exp_outcome(const RowCase& c, const HostMatrix<float>& values,
                            double error = 1e-6) {
  Guarded<float> in = row_image(c, values),
                 out = result_image<float>(static_cast<std::size_t>(c.rows));
  const Guarded<float> in_before = in, out_before = out;
  CompareOptions options{.name = "out", .shape = c.text(), .is_vector = true};
  Outcome run = run_on_device(
      ONE_LAUNCH, options.shape,
      [&](cudaStream_t stream, MatrixView<float> from, MatrixView<float> to) {
        log_sum_exp(from, span_of(to), stream);
      },
      in, out);
  if (!run.ok) return run;
  HostMatrix<double> expected(1, c.rows), bound(1, c.rows);
  for (int i = 0; i < c.rows; ++i) {
    expected(0, i) = log_sum_exp_of(values.row(i));
    bound(0, i) = error + error * std::abs(expected(0, i));
  }
  const auto largest = [&](int row) {
    double most = -INF;
    for (const float value : values.row(row)) most = std::fmax(most, value);
    return most;
  };
  const std::vector<Formula> mistakes = {
      {"the logarithm of the sum alone: the row's maximum belongs to it",
       [&](int, int row) { return expected(0, row) - largest(row); }},
      {"made with log2: the natural logarithm, logf, is asked for",
       [&](int, int row) {
         return largest(row) + std::log2(std::exp(expected(0, row) - largest(row)));
       }},
      {"the sum itself, without its logarithm",
       [&](int, int row) { return largest(row) + std::exp(expected(0, row) - largest(row)); }}};
  options.pattern = [&, plain = options](const Mismatch& m) -> std::string {
    const std::string strange = strange_text(values.row(m.first_col));
    if (strange.empty()) return formula_pattern(m, mistakes);
    const std::string pattern = recognise_pattern(m, plain);
    return "row " + std::to_string(m.first_col) + " has" + strange.substr(1) +
           (pattern.empty() ? "" : "; " + pattern);
  };
  options.probe = [&] { return probe_log_sum_exp(c); };
  return first_failure({compare(out.cview(), expected, bound, options),
                        only_inside_changed(out_before, out, "out", options.shape, true),
                        nothing_changed(in_before, in, "in", options.shape)});
}

}  // namespace

TEST_CASE("log_sum_exp of rows of any length") {
  expect(for_each_case(row_cases(30000), [&](const RowCase& c) {
    return log_sum_exp_outcome(c, uniform_rows(c, 1, -5, 5));
  }));
}

TEST_CASE("log_sum_exp of many rows, and of a long one") {
  for (const RowCase& c : {RowCase{2053, 5, 0, 64}, RowCase{1, 300007, 0, 64}}) {
    expect(log_sum_exp_outcome(c, uniform_rows(c, 5, -5, 5)));
  }
}

TEST_CASE("log_sum_exp of rows that lie far apart") {
  std::vector<FarCase> cases = far_cases();
  // Longer than a kernel for short rows takes.
  cases.push_back({37, 1500, kFarRowStride});
  cases.push_back({37, 1501, kFarRowStride + 1});
  cases.push_back({3, 1500, kFarStride});
  for (const FarCase& far : cases) {
    const HostMatrix<float> values = uniform_rows({far.rows, far.cols, 0, 0}, 6, -5, 5);
    SparseMatrix<float> in(far.rows, far.cols, far.stride);
    if (!in.is_there()) return;
    in.upload(values);
    const DeviceBuffer<float> out(values.rows());
    const std::string text = "rows of " + std::to_string(far.cols) + ", " + far_text(far.stride);
    Outcome outcome = run_far(text, [&](cudaStream_t stream) {
      log_sum_exp(in.cview(), {out.data(), out.size()}, stream);
    });
    std::vector<double> expected;
    for (int i = 0; i < far.rows; ++i) expected.push_back(log_sum_exp_of(values.row(i)));
    const auto name_of = [](std::size_t i) { return "element " + std::to_string(i); };
    if (outcome.ok) outcome = special_outcome(out.to_host(), expected, text, name_of);
    expect(outcome);
  }
}

TEST_CASE("log_sum_exp of rising, falling and large values") {
  for (const int cols : {5, 257, 1024, 3000, 3001, 16384}) {
    const RowCase c{8, cols, 0, 64};
    HostMatrix<float> values = uniform_rows(c, 2, -80, 80);
    for (int j = 0; j < cols; ++j) {
      values(1, j) *= 1e30f;
      values(2, j) += 1e4f;
      values(3, j) = -1e4f + static_cast<float>(j);  // each larger than all before
      values(4, j) = 1e4f - static_cast<float>(j);
      if (j != cols / 3) values(5, j) = -200.0f;
      values(6, j) = -2e9f;  // all below whatever stands for "none yet", unless that is -infinity
      values(7, j) = -3e38f;
    }
    expect(log_sum_exp_outcome(c, values));
  }
}

TEST_CASE("log_sum_exp of one large value and many that count only together") {
  // A term is less than half a unit in the last place of the largest one, and thousands come to
  // 0.0001. Only the thread that has the largest one may lose some, which it adds to that one.
  for (const int cols : {4096, 4097}) {
    const RowCase c{2, cols, 0, 64};
    HostMatrix<float> values = uniform_rows(c, 7, -18, -17);
    values(0, cols - 1) = values(1, cols - 2) = 0.0f;
    expect(log_sum_exp_outcome(c, values));
  }
  // A million far smaller ones come to 0.0008. One thread of 256 may lose 0.000003.
  const RowCase c{1, 1 << 20, 0, 64};
  HostMatrix<float> values = uniform_rows(c, 7, -21.1f, -20.9f);
  values(0, c.cols - 1) = 0.0f;
  expect(log_sum_exp_outcome(c, values, 5e-6));
}

TEST_CASE("log_sum_exp of many small terms beside a large one, wherever zero is") {
  // A logarithm of what there is so far rounds at its own size with each term, and not the sum.
  constexpr float kGaps[] = {8, 10, 12.5f, 14};
  for (const float large : {0.0f, 100.0f, -100.0f, 1000.0f}) {
    const RowCase c{4, 15360, 0, 64};
    HostMatrix<float> values(c.rows, c.cols);
    for (int row = 0; row < c.rows; ++row) {
      for (int j = 0; j < c.cols; ++j) values(row, j) = large - (j == 7 ? 0 : kGaps[row]);
    }
    expect(log_sum_exp_outcome(c, values, large == 0 ? 3e-5 : 1.1e-6));
  }
}

TEST_CASE("log_sum_exp of very many terms that are just large enough to count beside one") {
  // Six units in the last place of the largest term, three, and one: none is lost in FP32, and no
  // sum of them is rounded, however many a thread has.
  constexpr float kGaps[] = {14.15f, 14.8437f, 15.942f};
  const RowCase c{3, 1 << 20, 0, 64};
  HostMatrix<float> values(c.rows, c.cols);
  for (int row = 0; row < c.rows; ++row) {
    for (int j = 0; j < c.cols; ++j) values(row, j) = j == 7 ? 0 : -kGaps[row];
  }
  // A thread of 256 that leaves them out beside the largest loses 4096 units.
  expect(log_sum_exp_outcome(c, values, 2.2e-4));
}

TEST_CASE("log_sum_exp of rows with infinities and a NaN") {
  for (const int cols : {1, 2, 36, 300, 301, 3000, 16400}) {
    const RowCase c{14, cols, 0, 64};
    HostMatrix<float> values = uniform_rows(c, 3, -5, 5);
    values(7, 0) = values(8, cols - 1) = INF;
    values(7, cols - 1) = values(8, 0) = values(9, cols / 2) = NOT_A_NUMBER;
    values(1, cols / 2) = NOT_A_NUMBER;
    values(2, cols - 1) = INF;
    values(10, 0) = values(10, cols - 1) = INF;
    values(11, 0) = -NOT_A_NUMBER;
    for (int j = 0; j < cols; ++j) {
      values(3, j) = -INF;
      values(12, j) = INF;
      if (j < (cols + 1) / 2) values(13, j) = -INF;
      if (j % 2 == 0) values(4, j) = -INF;
      if (j != cols / 2) values(5, j) = values(9, j) = -INF;
    }
    if (cols > 1) values(6, 0) = values(6, 1) = INF;
    expect(log_sum_exp_outcome(c, values));
  }
}

TEST_CASE("log_sum_exp of a NaN that comes after an infinity, near or far") {
  const std::vector<int> distances{1, 4, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  for (const int cols : {5000, 5001}) {
    const RowCase c{2 * static_cast<int>(distances.size()), cols, 0, 64};
    HostMatrix<float> values = uniform_rows(c, 8, -5, 5);
    for (int row = 0; const int distance : distances) {
      for (const auto& [first, second] : {std::pair{INF, NOT_A_NUMBER}, {NOT_A_NUMBER, INF}}) {
        values(row, 5) = first;
        values(row++, 5 + distance) = second;
      }
    }
    expect(log_sum_exp_outcome(c, values));
  }
}

TEST_CASE("log_sum_exp of many values that lie above those before them") {
  // With the first value as the base throughout, sums overflow FP32 or lose too many digits.
  const RowCase c{45, 16384, 0, 64};
  HostMatrix<float> values(c.rows, c.cols);
  for (int row = 0; row < c.rows; ++row) {
    for (int j = 0; j < c.cols; ++j)
      values(row, j) = j < 2048 ? 0.0f : 2.0f * static_cast<float>(row);
  }
  expect(log_sum_exp_outcome(c, values));
}

TEST_CASE("log_sum_exp refuses another length, rows of nothing and rows that overlap") {
  const DeviceMatrix<float> in(3, 4);
  const DeviceBuffer<float> out(4);
  CHECK_THROWS_AS(log_sum_exp(in.cview(), {out.data(), 4}), std::invalid_argument);
  CHECK_THROWS_AS(log_sum_exp(in.cview(), {out.data(), 2}), std::invalid_argument);
  CHECK_THROWS_AS(log_sum_exp({in.cview().data, 3, 0, 4}, {out.data(), 3}), std::invalid_argument);
  CHECK_THROWS_AS(log_sum_exp({in.cview().data, 0, 4, 4}, {out.data(), 0}), std::invalid_argument);
  CHECK_THROWS_AS(log_sum_exp({in.cview().data, 3, 4, 3}, {out.data(), 3}), std::invalid_argument);
}

TEST_CASE("log_sum_exp of as many rows as there may be") {
  const LongBuffer<float> some, other;
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         log_sum_exp({some.data(), n, 1, 1}, {other.data(), static_cast<std::size_t>(n)}, stream);
       },
       "rows"},
      [](int n) {
        return log_sum_exp_outcome({n, 1, 0, 64}, uniform_rows({n, 1, 0, 64}, 5, -5, 5));
      },
      2053, MarkedParts("out", other.data(), kLongSize)));
}

TEST_CASE("budget") {
  const RowCase c{8, 20480, 0, 0};  // rows too long for the registers of a block
  expect_budget("log_sum_exp", 4.0 * c.rows * c.cols + 32.0 * c.rows,
                [&] { return log_sum_exp_outcome(c, uniform_rows(c, 4)); });
  // Short rows, and such as four does not divide, are read once as well.
  for (const int cols : {96, 1000, 4096, 16385}) {
    expect_bytes(4.0 * 4 * cols + 32.0 * 4, [cols] {
      const RowCase c{4, cols, 0, 0};
      return log_sum_exp_outcome(c, uniform_rows(c, 4));
    });
  }
  // Four divides what the elements of a block do not.
  expect_wide_accesses(15, 0, [] {
    const RowCase c{3, 4100, 0, 0};
    return log_sum_exp_outcome(c, uniform_rows(c, 4));
  });
}

}  // namespace tut::ch08
