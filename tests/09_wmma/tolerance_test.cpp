// The tolerance of this chapter's tests: FP32 sums that are cut off pass it, sums in half do not.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "tensor_core_case.hpp"
#include "tut/testing/host_matmul_test.hpp"

namespace tut::ch09 {
namespace {

// A sum as a tensor core of the first generations makes it: exact products are aligned with the
// largest of them, and with what was there, and what is below 24 bits is cut off.
float add_cut_off(float sum, const double (&products)[4]) {
  int exponent = std::ilogb(sum == 0 ? 0x1p-126 : static_cast<double>(sum));
  for (const double p : products) {
    if (p != 0) exponent = std::max(exponent, std::ilogb(p));
  }
  const double unit = std::ldexp(1.0, exponent - 23);
  double total = std::trunc(sum / unit);
  for (const double p : products) total += std::trunc(p / unit);
  return static_cast<float>(total * unit);
}

template <class Sum>
float rounded(float sum) {
  return static_cast<float>(static_cast<Sum>(sum));
}

// C = AB with sums kept in Sum: rounded after every product with 16 of k, as mma_sync does.
template <class Sum>
void matmul_in(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);
  for (int row = 0; row < c.rows; ++row) {
    for (int col = 0; col < c.cols; ++col) {
      float sum = 0;
      for (int k = 0; k < a.cols; k += 4) {
        double products[4] = {};
        for (int i = 0; i < 4 && k + i < a.cols; ++i) {
          products[i] = to_double(a(row, k + i)) * to_double(b(k + i, col));
        }
        sum = add_cut_off(sum, products);
        if ((k + 4) % 16 == 0 || k + 4 >= a.cols) sum = rounded<Sum>(sum);
      }
      c(row, col) = sum;
    }
  }
}

template <class Sum>
Outcome outcome(const MatmulShape& shape) {
  return matmul_outcome<__half, float>(HostMatmul<__half, float>(matmul_in<Sum>),
                                       {.shapes = {shape}, .tolerance = tensor_core_tolerance});
}

}  // namespace

TEST_CASE("sums in FP32, cut off, are within the tolerance") {
  for (const int k : {1, 16, 31, 256, 1024}) {
    const Outcome found = outcome<float>({9, 11, k});
    CHECK_MESSAGE(found.ok, found.report);
  }
}

TEST_CASE("sums in half are not") {
  for (const int k : {4, 16, 31, 256, 1024}) {
    const Outcome found = outcome<__half>({9, 11, k});
    CHECK_FALSE(found.ok);
    CHECK(found.kind == "values");
  }
}

}  // namespace tut::ch09
