// What each way to multiply loses is within its bound, the bound refuses the next lower precision,
// and three TF32 products are as accurate as FP32.

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "12_mixed_precision/error_study.hpp"
#include "12_mixed_precision/formats.hpp"
#include "12_mixed_precision/tensor_core_model.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/device/cublas_matmul.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch12 {
namespace {

using Matrix = HostMatrix<float>;

constexpr int SIZE = 24;

const Method& method(const std::string& name) {
  static const std::vector<Method> all = [] {
    std::vector<Method> methods = device_methods();
    for (Method& m : model_methods()) methods.push_back(std::move(m));
    return methods;
  }();
  for (const Method& m : all) {
    if (m.name == name) return m;
  }
  throw std::runtime_error("no method " + name);
}

Matrix random_matrix(int rows, int cols, std::uint64_t seed) {
  Matrix m(rows, cols);
  fill_uniform(m, seed);
  return m;
}

Matrix rounded_to(const Format& format, const Matrix& m) {
  return make_matrix<float>(m.rows(), m.cols(),
                            [&](int r, int c) { return rounded(format, m(r, c)); });
}

/// C = AB with every sum rounded to the format after each product: a lower precision to refuse.
Matrix with_sums_in(const Format& format, const Matrix& a, const Matrix& b) {
  return make_matrix<float>(a.rows(), b.cols(), [&](int r, int c) {
    double sum = 0;
    for (int k = 0; k < a.cols(); ++k) {
      sum = rounded(format, sum + static_cast<double>(a(r, k)) * b(k, c));
    }
    return sum;
  });
}

bool within(const MatmulTolerance& tolerance, const Matrix& got, const Matrix& a, const Matrix& b) {
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  return compare(got.cview(), reference.product, matmul_bound(reference, tolerance)).ok;
}

constexpr MatmulTolerance FLOAT_SUMS{.accumulation = 0x1p-23};
constexpr MatmulTolerance HALF_SUMS{
    .accumulation = 0x1p-11, .output_rounding = 0x1p-11, .underflow = 0x1p-25};
constexpr MatmulTolerance TF32_INPUTS{.accumulation = 0x1p-23, .input_rounding = 0x1p-11};
constexpr MatmulTolerance THREE_PRODUCTS{.accumulation = 0x1p-23, .input_rounding = 0x1p-22};

/// hi * hi + hi * lo, in double: one of three products left out.
Matrix two_products(const Matrix& a, const Matrix& b) {
  const Matrix a_hi = rounded_to(TF32, a);
  const HostMatrix<double> product =
      matmul_reference(to_double_matrix(a_hi.cview()), to_double_matrix(b.cview())).product;
  return make_matrix<float>(product.rows(), product.cols(),
                            [&](int r, int c) { return product(r, c); });
}

double cublas_error(int size, int k) {
  const Method cublas{"cublasSgemm", [](const Matrix& a, const Matrix& b) {
                        const DeviceMatrix<float> device_a(a), device_b(b);
                        DeviceMatrix<float> c(a.rows(), b.cols());
                        cublas_matmul(device_a.cview(), device_b.cview(), c.view());
                        return c.download();
                      }};
  return relative_error(cublas, size, size, k);
}

bool skips() {
  if (has_tf32_and_bfloat16()) return false;
  MESSAGE("skipped: this device has neither bfloat16 nor TF32 (compute capability below 8.0)");
  return true;
}

}  // namespace

TEST_CASE("sums in FP32 pass their bound at every length, and sums in FP16 fail it") {
  for (const int k : {16, 64, 256, 1024, 4096}) {
    CAPTURE(k);
    const Matrix a = rounded_to(FP16, random_matrix(SIZE, k, 1));
    const Matrix b = rounded_to(FP16, random_matrix(k, SIZE, 2));
    CHECK(within(FLOAT_SUMS, method("half, float sums").multiply(a, b), a, b));
    CHECK_FALSE(within(FLOAT_SUMS, method("half, half sums").multiply(a, b), a, b));
  }
}

TEST_CASE("sums in FP16 pass their own bound, and sums in bfloat16 fail it") {
  for (const int k : {16, 64, 256, 1024, 4096}) {
    CAPTURE(k);
    const Matrix a = rounded_to(FP16, random_matrix(SIZE, k, 3));
    const Matrix b = rounded_to(FP16, random_matrix(k, SIZE, 4));
    CHECK(within(HALF_SUMS, method("half, half sums").multiply(a, b), a, b));
    // With random signs errors grow with the root of K, and the bound with K: it is sharp for short
    // sums, which the tests of every kernel have.
    if (k <= 64) CHECK_FALSE(within(HALF_SUMS, with_sums_in(BF16, a, b), a, b));
  }
}

TEST_CASE("bfloat16 inputs with sums in FP32 pass; with sums in FP16 they would fail") {
  if (skips()) return;
  for (const int k : {16, 256, 4096}) {
    CAPTURE(k);
    const Matrix a = rounded_to(BF16, random_matrix(SIZE, k, 5));
    const Matrix b = rounded_to(BF16, random_matrix(k, SIZE, 6));
    CHECK(within(FLOAT_SUMS, method("bfloat16, float sums").multiply(a, b), a, b));
    CHECK_FALSE(within(FLOAT_SUMS, with_sums_in(FP16, a, b), a, b));
  }
}

TEST_CASE(
    "TF32 passes the bound of TF32 inputs; FP32's bound refuses it, and it refuses bfloat16") {
  if (skips()) return;
  for (const int k : {1, 7, 64, 1024, 4096}) {
    CAPTURE(k);
    const Matrix a = random_matrix(SIZE, k, 7), b = random_matrix(k, SIZE, 8);
    const Matrix got = method("TF32, float sums").multiply(a, b);
    CHECK(within(TF32_INPUTS, got, a, b));
    CHECK_FALSE(within(FLOAT_SUMS, got, a, b));
    if (k <= 7)
      CHECK_FALSE(within(TF32_INPUTS, method("bfloat16, float sums").multiply(a, b), a, b));
  }
}

TEST_CASE("three TF32 products pass a bound that refuses one and two") {
  if (skips()) return;
  for (const int k : {1, 7, 64, 1024, 4096}) {
    CAPTURE(k);
    const Matrix a = random_matrix(SIZE, k, 9), b = random_matrix(k, SIZE, 10);
    CHECK(within(THREE_PRODUCTS, method("three TF32 products").multiply(a, b), a, b));
    CHECK_FALSE(within(THREE_PRODUCTS, method("TF32, float sums").multiply(a, b), a, b));
    if (k <= 1024) CHECK_FALSE(within(THREE_PRODUCTS, two_products(a, b), a, b));
  }
}

// Of sums of 4096 products in FP32, relative to the result, in units of its rounding: added up in
// order they are 19 of these off, in parts that are joined 5 to 7. A library's own error is no
// measure: it joins as many parts as suits the device.
constexpr double FEW_ROUNDINGS = 12 * 0x1p-24;

TEST_CASE("three TF32 products lose less than FP32 sums in order at K = 4096") {
  if (skips()) return;
  const double cublas = cublas_error(64, 4096);
  const double ours = relative_error(method("three TF32 products"), 64, 64, 4096);
  const double by_sums = relative_error(method("FP32"), 64, 64, 4096);
  MESSAGE("errors at K = 4096: three TF32 products ", ours, ", cublasSgemm ", cublas,
          ", FP32 sums in order ", by_sums);
  CHECK(ours <= FEW_ROUNDINGS);
  CHECK_FALSE(by_sums <= FEW_ROUNDINGS);
}

TEST_CASE("so they are on a tensor core that cuts, because FP32 additions take over") {
  constexpr int K = 4096;
  const double cublas = cublas_error(16, K);
  const auto error = [&](const char* name) { return relative_error(method(name), 16, 16, K); };
  const double taken_over = error("three TF32 products, cut and taken over every 16");
  const double left_there = error("three TF32 products, cut and never taken over");
  MESSAGE("on a model of a tensor core: ", taken_over, ", without taking over ", left_there,
          ", cublasSgemm ", cublas);
  CHECK(taken_over <= FEW_ROUNDINGS);
  CHECK_FALSE(left_there <= FEW_ROUNDINGS);
}

TEST_CASE(
    "the model of a tensor core: exact where there is nothing to cut, towards zero elsewhere") {
  const float x[] = {1, 2, 3, 4}, ones[] = {1, 1, 1, 1};
  CHECK(tensor_core_sum(5, x, ones) == 15);
  const float small[] = {0x1p-24f};
  CHECK(tensor_core_sum(1, small, {ones, 1}) == 1);
  const float nearly_one[] = {0x1.8p-24f};  // FP32 would round up
  CHECK(tensor_core_sum(1, nearly_one, {ones, 1}) == 1);
  const float negative[] = {-0x1.8p-24f};
  CHECK(tensor_core_sum(-1, negative, {ones, 1}) == -1);
  CHECK(cut_to_float(1 + 0x1.fp-24) == 1);
  CHECK(cut_to_float(-1 - 0x1.fp-24) == -1);
}

}  // namespace tut::ch12
