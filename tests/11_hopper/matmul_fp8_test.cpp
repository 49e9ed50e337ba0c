#include "11_hopper/matmul_fp8.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "hopper_case.hpp"
#include "tut/numeric/precision_fp8.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch11 {
namespace {

using T = __nv_fp8_e4m3;

/// What the contract promises, in units of the sum of the absolute values of an element's products.
double relative_bound(int k) {
  return 2 * std::sqrt(std::min(k, 128)) * 0x1p-13 + 2 * std::sqrt(k) * 0x1p-23;
}

HostMatrix<T> random_factor(int rows, int cols, std::uint64_t seed, float lowest) {
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, seed, lowest, 1);
  return detail::rounded<T>(values);
}

struct Case {
  MatmulShape shape;
  int c_extra = 0;    // elements between rows of C
  float lowest = -1;  // of the factors' elements
  std::uint64_t seed = 1;
  float scale_a = 0.5f, scale_b = 3;
};

/// `tolerance`: times what the contract promises; 0 for products that are exact.
Outcome fp8_outcome(const Case& c, const HostMatrix<T>& a, const HostMatrix<T>& b,
                    double tolerance) {
  const auto [m, n, k] = c.shape;
  Guarded<T> left(m, k, round_up(k, 16) + 16, 4096), right(n, k, round_up(k, 16), 4096);
  Guarded<float> out(m, n, n + c.c_extra, 4096);
  left.set(a);
  right.set(b);
  left.set_placement({16, 16});
  right.set_placement({16, 16});
  const Guarded<T> left_before = left, right_before = right;
  const Guarded<float> before = out;
  const std::string text = shape_text(c.shape) + " in E4M3, " + std::to_string(c.c_extra) +
                           " elements between rows of C";
  const Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<const T> x, MatrixView<const T> y, MatrixView<float> to) {
        matmul_fp8(x, y, to, c.scale_a, c.scale_b, stream);
      },
      left, right, out);
  if (!run.ok) return run;
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a.cview()),
                       make_matrix<double>(k, n, [&](int i, int s) { return to_double(b(s, i)); }));
  const double scale = static_cast<double>(c.scale_a) * static_cast<double>(c.scale_b);
  const auto expected =
      make_matrix<double>(m, n, [&](int r, int s) { return scale * reference.product(r, s); });
  const auto bound = make_matrix<double>(m, n, [&](int r, int s) {
    return tolerance * relative_bound(k) * std::abs(scale) * reference.magnitude(r, s);
  });
  return first_failure(
      {compare(out.cview(), expected, bound, {.name = "C", .shape = text, .pattern = {}}),
       only_inside_changed(before, out, "C", text), nothing_changed(left_before, left, "A", text),
       nothing_changed(right_before, right, "B", text)});
}

Outcome random_outcome(const Case& c) {
  return fp8_outcome(c, random_factor(c.shape.m, c.shape.k, 2 * c.seed, c.lowest),
                     random_factor(c.shape.n, c.shape.k, 2 * c.seed + 1, c.lowest), 1);
}

Outcome exact_outcome(const MatmulShape& shape) {
  HostMatrix<T> a(shape.m, shape.k), b(shape.n, shape.k);
  fill_small_integers(a, 11, 3);
  fill_small_integers(b, 12, 3);
  return fp8_outcome({.shape = shape, .scale_a = 2, .scale_b = 0.25f}, a, b, 0);
}

// How Hopper's tensor cores add, as far as is known: a sum and the products of 32 k's, each cut off
// 13 bits below the largest one's first.
double add_with_14_bits(double sum, std::span<const double> products) {
  double largest = std::abs(sum);
  for (const double p : products) largest = std::max(largest, std::abs(p));
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 13);
  double units = std::trunc(sum / unit);
  for (const double p : products) units += std::trunc(p / unit);
  return units * unit;
}

/// The error of a sum of products, in units of the sum of their absolute values, if it is promoted
/// to FP32 after every `steps` products of wgmma.
double modelled_error(std::span<const double> products, std::size_t steps) {
  double exact = 0, magnitude = 0, promoted = 0;
  for (const double p : products) exact += p, magnitude += std::abs(p);
  for (std::size_t i = 0; i < products.size();) {
    double sum = 0;
    for (std::size_t s = 0; s < steps && i < products.size(); ++s, i += 32) {
      sum = add_with_14_bits(sum, products.subspan(i, 32));
    }
    promoted += sum;
  }
  return std::abs(promoted - exact) / magnitude;
}

}  // namespace

TEST_CASE("matmul_fp8 computes C = scale AB^T") {
  if (!can_run("matmul_fp8")) return;
  std::vector<MatmulShape> shapes = matmul_shapes(128, 128, 128);
  // As many steps of k as there are stages, one more, and so many that each is used again.
  for (const int k : {512, 640, 9 * 128 + 16}) shapes.push_back({40, 72, k});
  // Watched, the last says as much as all.
  if (simt_check_work != nullptr) shapes.erase(shapes.begin(), shapes.end() - 1);
  for (const MatmulShape& shape : shapes) {
    for (const int extra : {0, 1, 2}) {
      expect(random_outcome(
          {.shape = shape, .c_extra = extra, .seed = static_cast<std::uint64_t>(extra + 1)}));
    }
    expect(exact_outcome(shape));
  }
  expect(random_outcome({.shape = {70, 140, 1000}, .lowest = 0}));
}

TEST_CASE("matmul_fp8 passes a NaN on to its row or column only") {
  if (!can_run("matmul_fp8")) return;
  constexpr int M = 70, N = 140, K = 144;
  HostMatrix<T> a(M, K), b(N, K);
  fill_small_integers(a, 13, 3);
  fill_small_integers(b, 14, 3);
  a(3, K - 1) = b(131, 5) = from_float<T>(std::numeric_limits<float>::quiet_NaN());
  expect(fp8_outcome({.shape = {M, N, K}, .scale_a = 1, .scale_b = 1}, a, b, 0));
}

TEST_CASE("matmul_fp8 refuses what does not fit") {
  if (!can_run("matmul_fp8")) return;
  const auto product = [](auto a, auto b, auto c) { matmul_fp8(a, b, c, 1, 1); };
  expect(product_refusals_outcome<T, float>(product, true, false, 16));
  expect(layout_refusals_outcome<T, float>(
      [](MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c, cudaStream_t stream) {
        matmul_fp8(a, b, c, 1, 1, stream);
      }));
  const DeviceBuffer<T> factors(256);
  const DeviceBuffer<float> sums(16);
  const MatrixView<const T> factor{factors.data(), 4, 16, 16};
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    CHECK_THROWS_AS(matmul_fp8(factor, factor, {sums.data(), 4, 4, 4}, bad, 1),
                    std::invalid_argument);
    CHECK_THROWS_AS(matmul_fp8(factor, factor, {sums.data(), 4, 4, 4}, 1, bad),
                    std::invalid_argument);
  }
}

TEST_CASE("matmul_fp8's bound holds for sums that are promoted, and not for those that are not") {
  constexpr int K = 4096;
  double promoted = 0, kept = 1;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const HostMatrix<T> a = random_factor(1, K, 2 * seed, 0),
                        b = random_factor(1, K, 2 * seed + 1, 0);
    std::vector<double> products;
    for (int k = 0; k < K; ++k) products.push_back(to_double(a(0, k)) * to_double(b(0, k)));
    promoted = std::max(promoted, modelled_error(products, 4));
    kept = std::min(kept, modelled_error(products, K / 32));
  }
  INFO("promoted: ", promoted, ", kept: ", kept, ", bound: ", relative_bound(K));
  CHECK(promoted <= relative_bound(K));
  CHECK(kept > relative_bound(K));
}

}  // namespace tut::ch11
