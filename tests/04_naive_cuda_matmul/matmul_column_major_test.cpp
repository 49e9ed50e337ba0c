#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <stdexcept>
#include <string>

#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "transposed_image.hpp"
#include "tut/testing/matmul_corners.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch04 {
namespace {

int leading_dimension(const auto& image) { return static_cast<int>(image.stride); }

// A row-major image of the transpose is the column-major image of the matrix.
void run_column_major(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  Guarded<float> at = transposed_image(a), bt = transposed_image(b), ct = transposed_image(c);
  const Guarded<float> at_before = at, bt_before = bt, ct_before = ct;
  run_on_images(
      {.most_launches = 1},
      [&](cudaStream_t stream, MatrixView<const float> view_a, MatrixView<const float> view_b,
          MatrixView<float> view_c) {
        matmul_column_major(a.rows(), b.cols(), a.cols(), view_a.data, leading_dimension(view_a),
                            view_b.data, leading_dimension(view_b), view_c.data,
                            leading_dimension(view_c), stream);
      },
      at, bt, ct);
  for (const std::string& change :
       {at.change(at_before, "A", false), bt.change(bt_before, "B", false),
        ct.change_outside(ct_before, "C", false)}) {
    if (!change.empty()) throw std::runtime_error(change + ", rows and columns as stored");
  }
  transpose_back(ct, c);
}

// The same, of which failures say the leading dimensions.
MatmulRun<float, float> column_major_run() {
  MatmulRun<float, float> run = run_column_major;
  run.retold = [](const std::string& text, const Guarded<float>& a, const Guarded<float>& b,
                  const Guarded<float>& c) {
    const auto leading = [](const Guarded<float>& image) {
      return std::to_string(transposed_stride(image));
    };
    return std::regex_replace(text, std::regex(R"(strides \d+, \d+, \d+)"),
                              "lda " + leading(a) + ", ldb " + leading(b) + ", ldc " + leading(c));
  };
  return run;
}

// Matrices that are row-major: read as column-major ones they are transposed, and CT = BT AT.
void multiply_row_major(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream) {
  matmul_column_major(c.cols, c.rows, a.cols, b.data, leading_dimension(b), a.data,
                      leading_dimension(a), c.data, leading_dimension(c), stream);
}

}  // namespace

TEST_CASE("matmul_column_major computes C = AB") {
  MatmulTestOptions options;
  options.shapes = matmul_shapes(32);
  options.rejects_wrong_shapes = false;  // it takes m, n and k once: they cannot disagree
  expect(run_matmul_battery<float, float>(column_major_run(), options));
}

TEST_CASE("matmul_column_major takes long matrices, at any address, NaN and infinity") {
  expect(matmul_corners_outcome(column_major_run(),
                                {.long_shapes = {{1, 70000, 2}, {70000, 1, 2}, {2, 3, 5000}}}));
}

TEST_CASE("matmul_column_major takes columns that are far apart") {
  expect(far_rows_outcome<float, float>(multiply_row_major, {}, kFarIntStride));
}

TEST_CASE("matmul_column_major reaches all of a large C") {
  const auto values = [](const MatmulShape& shape) {
    return detail::run_case<float, float>(column_major_run(), shape, MatmulInputs::dense_random,
                                          {});
  };
  expect(matmul_reach_outcome(multiply_row_major, 70000, values));
}

TEST_CASE("matmul_column_major refuses leading dimensions that are too small") {
  const DeviceBuffer<float> memory(64);
  float* x = memory.data();
  CHECK_THROWS_AS(matmul_column_major(4, 3, 2, x, 3, x, 2, x, 4), std::invalid_argument);
  CHECK_THROWS_AS(matmul_column_major(4, 3, 2, x, 4, x, 1, x, 4), std::invalid_argument);
  CHECK_THROWS_AS(matmul_column_major(4, 3, 2, x, 4, x, 2, x, 3), std::invalid_argument);
  for (const int ld : {0, -1, -4}) {
    CAPTURE(ld);
    CHECK_THROWS_AS(matmul_column_major(4, 3, 2, x, ld, x, 2, x, 4), std::invalid_argument);
    CHECK_THROWS_AS(matmul_column_major(4, 3, 2, x, 4, x, ld, x, 4), std::invalid_argument);
    CHECK_THROWS_AS(matmul_column_major(4, 3, 2, x, 4, x, 2, x, ld), std::invalid_argument);
  }
}

TEST_CASE("matmul_column_major refuses matrices without elements") {
  const DeviceBuffer<float> memory(64);
  float* x = memory.data();
  for (const int none : {0, -1}) {
    CAPTURE(none);
    CHECK_THROWS_AS(matmul_column_major(none, 3, 2, x, 4, x, 2, x, 4), std::invalid_argument);
    CHECK_THROWS_AS(matmul_column_major(4, none, 2, x, 4, x, 2, x, 4), std::invalid_argument);
    CHECK_THROWS_AS(matmul_column_major(4, 3, none, x, 4, x, 2, x, 4), std::invalid_argument);
  }
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};
  expect_product_budget(
      "matmul_column_major", kShape,
      [](const MatmulShape& s) { return s.m * s.n * (5.0 * s.k + 4); }, 32, run_column_major);
}

}  // namespace tut::ch04
