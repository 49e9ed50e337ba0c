#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "08_reductions/softmax_online.hpp"
#include "08_reductions/softmax_passes.hpp"
#include "reduction_case.hpp"
#include "tut/matrix/device_matrix.hpp"

namespace tut::ch08 {
namespace {

using Softmax = void (*)(MatrixView<const float>, MatrixView<float>, cudaStream_t);

/// In double. A row with +inf or a NaN, or of nothing but -inf, comes out as NaN.
HostMatrix<double> softmax_reference(const HostMatrix<float>& in) {
  HostMatrix<double> out(in.rows(), in.cols());
  for (int i = 0; i < in.rows(); ++i) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const float value : in.row(i)) largest = std::fmax(largest, value);
    for (const float value : in.row(i)) sum += std::exp(value - largest);
    for (int j = 0; j < in.cols(); ++j) out(i, j) = std::exp(in(i, j) - largest) / sum;
  }
  return out;
}

Outcome softmax_outcome(Softmax softmax, const RowCase& c, const HostMatrix<float>& values,
                        bool in_place) {
  Guarded<float> in = row_image(c, values), out = in_place ? in : row_image(c);
  const Guarded<float> in_before = in, out_before = out;
  const std::string text = c.text();
  Outcome run = run_on_device(
      text,
      [&](cudaStream_t stream, MatrixView<float> from, MatrixView<float> to) {
        softmax(in_place ? to : from, to, stream);
      },
      in, out);
  if (!run.ok) return run;
  const HostMatrix<double> expected = softmax_reference(values);
  HostMatrix<double> bound(c.rows, c.cols);
  for (int i = 0; i < c.rows; ++i) {
    double largest = -INF;
    for (const float value : values.row(i)) largest = std::fmax(largest, value);
    for (int j = 0; j < c.cols; ++j) {
      // The rounding of the exponent, and of exp and of the sum.
      const double distance = std::isfinite(values(i, j)) ? largest - values(i, j) : 0.0;
      bound(i, j) = (100 + 4 * distance) * 0x1p-24 * expected(i, j) + 0x1p-148;
    }
  }
  return first_failure({rows_outcome(out_before, out, expected, bound, "out", text),
                        nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("softmax of rows of any length") {
  for (const Softmax softmax : {softmax_passes, softmax_online}) {
    expect(for_each_case(row_cases(30000), [&](const RowCase& c) {
      return softmax_outcome(softmax, c, uniform_rows(c, 1, -5, 5), false);
    }));
  }
}

TEST_CASE("softmax in place") {
  for (const Softmax softmax : {softmax_passes, softmax_online}) {
    for (const int cols : {33, 1024, 4097, 16500}) {
      const RowCase c{3, cols, 2, 64};
      expect(softmax_outcome(softmax, c, uniform_rows(c, 2, -5, 5), true));
    }
  }
}

TEST_CASE("softmax of large values, far apart, and of -inf among them") {
  for (const Softmax softmax : {softmax_passes, softmax_online}) {
    for (const int cols : {5, 32, 100, 1024, 3000, 4096, 16384, 16400}) {
      const RowCase c{4, cols, 0, 64};
      HostMatrix<float> values = uniform_rows(c, 3, -80, 80);
      for (int j = 0; j < cols; ++j) {
        values(1, j) = 1e30f * values(1, j);
        values(2, j) += 1e4f;
        if (j % 3 != 1) values(3, j) = -INF;
      }
      expect(softmax_outcome(softmax, c, values, false));
    }
  }
}

TEST_CASE("a row with a NaN or +inf, or of nothing but -inf, becomes NaN, and no other row") {
  for (const Softmax softmax : {softmax_passes, softmax_online}) {
    for (const int cols : {1, 31, 300, 1024, 2000, 16384, 16400}) {
      const RowCase c{5, cols, 0, 64};
      HostMatrix<float> values = uniform_rows(c, 4, -5, 5);
      values(1, cols / 2) = NOT_A_NUMBER;
      values(2, cols - 1) = INF;
      for (int j = 0; j < cols; ++j) values(3, j) = -INF;
      const DeviceMatrix<float> in(values);
      DeviceMatrix<float> out(c.rows, c.cols);
      softmax(in.cview(), out.view(), nullptr);
      const HostMatrix<float> got = out.download();
      const HostMatrix<double> expected = softmax_reference(values);
      const auto name_of = [&](std::size_t i) {
        const int row = static_cast<int>(i) / cols;
        return "element (" + std::to_string(row) + ", " +
               std::to_string(static_cast<int>(i) % cols) + ") (its row of " +
               std::to_string(cols) + strange_text(values.row(row)) + ")";
      };
      expect(special_outcome(got.span(), expected.span(), c.text(), name_of));
    }
  }
}

TEST_CASE("softmax gives the same bits each time") {
  const RowCase c{3, 5000, 0, 64};
  const DeviceMatrix<float> in(uniform_rows(c, 5));
  DeviceMatrix<float> first(3, 5000), again(3, 5000);
  softmax_online(in.cview(), first.view());
  softmax_online(in.cview(), again.view());
  const HostMatrix<float> a = first.download(), b = again.download();
  CHECK(std::ranges::equal(a.span(), b.span()));
}

TEST_CASE("softmax refuses other shapes") {
  DeviceMatrix<float> a(3, 4), b(4, 3);
  CHECK_THROWS_AS(softmax_online(a.cview(), b.view()), std::invalid_argument);
  CHECK_THROWS_AS(softmax_passes(a.cview(), b.view()), std::invalid_argument);
}

}  // namespace tut::ch08
