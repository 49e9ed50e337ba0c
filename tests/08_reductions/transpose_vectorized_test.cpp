#include "08_reductions/transpose_vectorized.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "reduction_case.hpp"
#include "tut/matrix/device_matrix.hpp"

namespace tut::ch08 {
namespace {

/// `gap` and `guard`: as in RowCase, of both matrices.
Outcome transpose_outcome(int rows, int cols, std::int64_t gap, std::size_t guard) {
  const RowCase c{rows, cols, gap, guard};
  const HostMatrix<float> values = uniform_rows(c, 1);
  Guarded<float> in = row_image(c, values), out(cols, rows, rows + gap, guard);
  const Guarded<float> in_before = in, out_before = out;
  // 4 floats divide whatever the contract has.
  for (Guarded<float>* matrix : {&in, &out}) matrix->set_placement({4, 4});
  Outcome run = run_on_device(
      c.text(),
      [](cudaStream_t stream, MatrixView<float> from, MatrixView<float> to) {
        transpose_vectorized(from, to, stream);
      },
      in, out);
  if (!run.ok) return run;
  const auto expected =
      make_matrix<double>(cols, rows, [&](int r, int col) { return values(col, r); });
  const auto exact = make_matrix<double>(cols, rows, [](int, int) { return 0.0; });
  return first_failure({rows_outcome(out_before, out, expected, exact, "out", c.text()),
                        nothing_changed(in_before, in, "in", c.text())});
}

}  // namespace

TEST_CASE("transpose of matrices of whole float4") {
  for (const int rows : {4, 12, 16, 124, 128, 132, 388}) {
    for (const int cols : {4, 28, 32, 36, 148}) {
      expect(transpose_outcome(rows, cols, 0, 64));
      expect(transpose_outcome(rows, cols, 8, 64));
    }
  }
}

TEST_CASE("transpose of any other matrix, and in odd places") {
  for (const int rows : {1, 3, 31, 33, 130}) {
    for (const int cols : {1, 32, 37}) expect(transpose_outcome(rows, cols, 0, 64));
  }
  expect(transpose_outcome(128, 64, 1, 64));
  expect(transpose_outcome(128, 64, 0, 65));
}

TEST_CASE("transpose refuses other shapes") {
  DeviceMatrix<float> a(8, 4), b(8, 4);
  CHECK_THROWS_AS(transpose_vectorized(a.cview(), b.view()), std::invalid_argument);
}

}  // namespace tut::ch08
