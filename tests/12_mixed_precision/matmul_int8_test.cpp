#include "12_mixed_precision/matmul_int8.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../09_wmma/tensor_core_case.hpp"
#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/device/compute_capability.hpp"

namespace tut::ch12 {
namespace {

using Int8 = signed char;

bool is_skipped() {
  if (compute_capability() >= 72) return false;
  MESSAGE("skipped: this device's tensor cores take no integers (compute capability below 7.2)");
  return true;
}

// The stride of B's transpose: a multiple of `multiple` elements, more than that of A.
std::int64_t turned_stride(const Guarded<Int8>& b, int multiple) {
  const bool dense = b.stride() == b.cols();
  return dense ? b.rows() : round_up(b.rows() + 1, multiple) + multiple;
}

// The battery's B is (K, N): the function under test gets the same values as an (N, K) matrix,
// whose rows lie a multiple of `multiple` elements apart, further than those of A, behind as many
// elements.
void run_transposed(Guarded<Int8>& a, Guarded<Int8>& b, Guarded<float>& c, int multiple,
                    float scale) {
  const auto view = b.cview();
  const auto guard = static_cast<std::size_t>(view.data - b.memory().data());
  Guarded<Int8> turned(b.cols(), b.rows(), turned_stride(b, multiple), guard);
  turned.set(make_matrix<Int8>(b.cols(), b.rows(), [&](int n, int k) { return view(k, n); }));
  const Guarded<Int8> before = turned;
  run_on_images(
      {.most_launches = 1},
      [scale](cudaStream_t stream, MatrixView<const Int8> view_a, MatrixView<const Int8> view_b,
              MatrixView<float> view_c) { matmul_int8(view_a, view_b, scale, view_c, stream); },
      a, turned, c);
  const std::string change = turned.change(before, "B", false);
  if (!change.empty()) throw std::logic_error(change);
}

MatmulRun<Int8, float> run_with(int multiple) {
  MatmulRun<Int8, float> run = [multiple](Guarded<Int8>& a, Guarded<Int8>& b, Guarded<float>& c) {
    run_transposed(a, b, c, multiple, 1.0f);
  };
  run.transposed = 'B';
  run.transposed_stride = [multiple](const Guarded<Int8>& b) { return turned_stride(b, multiple); };
  return run;
}

Outcome dense_outcome(const MatmulShape& shape) {
  return detail::run_case<Int8, float>(run_with(1), shape, MatmulInputs::dense_random, {});
}

const auto multiply = [](cudaStream_t stream, MatrixView<const Int8> a, MatrixView<const Int8> b,
                         MatrixView<float> c) { matmul_int8(a, b, 1.0f, c, stream); };

/// Elements from `low` to `high`, of a product of 21 x 37 sums of k, times `scale`.
Outcome scaled_outcome(float scale, int k, int low, int high) {
  constexpr int M = 21, N = 37;
  Guarded<Int8> a(M, k, k + 1, 4097), b(k, N, N + 3, 4097);
  Guarded<float> c(M, N, N + 3, 4097);
  const auto values = [&](int rows, int cols, int seed) {
    return make_matrix<Int8>(rows, cols, [&](int r, int s) {
      const auto bits =
          drawn_bits(static_cast<std::uint64_t>(seed),
                     static_cast<std::uint64_t>(r) * 100'000 + static_cast<std::uint64_t>(s));
      return static_cast<Int8>(low +
                               static_cast<int>(bits % static_cast<std::uint64_t>(high - low + 1)));
    });
  };
  a.set(values(M, k, 71));
  b.set(values(k, N, 72));
  const Guarded<Int8> a_before = a;
  const Guarded<float> c_before = c;
  const HostMatrix<double> product =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
  const double factor = static_cast<double>(scale);
  const auto expected =
      make_matrix<double>(M, N, [&](int r, int s) { return factor * product(r, s); });
  const auto bound =
      make_matrix<double>(M, N, [&](int r, int s) { return 0x1p-23 * std::abs(expected(r, s)); });
  const std::string text = "sums of " + std::to_string(k) + " products of integers from " +
                           std::to_string(low) + " to " + std::to_string(high) + ", scale " +
                           number_text(factor);
  const Outcome outcome = outcome_of_call(text, [&] { run_transposed(a, b, c, 1, scale); });
  if (!outcome.ok) return outcome;
  Outcome judged = compare(c.cview(), expected, bound, {.name = "C", .shape = text, .pattern = {}});
  if (!judged.ok) return judged;
  for (std::string change :
       {c.change_outside(c_before, "C", false), a.change(a_before, "A", false)}) {
    if (!change.empty()) return failure("values", change.append(" (").append(text).append(")"));
  }
  return {};
}

}  // namespace

TEST_CASE("matmul_int8 computes ABᵀ without any error where the scale is 1") {
  if (is_skipped()) return;
  const auto check = [](int multiple, const std::vector<MatmulShape>& shapes) {
    expect(run_matmul_battery<Int8, float>(run_with(multiple),
                                           {.shapes = shapes, .stride_multiple = multiple}));
  };
  check(1, matmul_shapes(64, 64, 32));
  check(16, {{65, 67, 41}, {64, 64, 64}});
  for (const MatmulShape& shape : {MatmulShape{17, 5000, 3}, {5000, 17, 2}, {3, 5, 4200}}) {
    expect(dense_outcome(shape));
  }
  expect(ch09::shifted_outcome<Int8>(run_with(1)));
  expect(ch09::far_tiles_of<float, Int8>(
      ch09::SecondFactor::transposed, [](double element) { return element; }, multiply));
}

TEST_CASE("matmul_int8 adds up integers and scales once") {
  if (is_skipped()) return;
  expect(scaled_outcome(0.37f, 35, -128, 127));
  expect(scaled_outcome(-3e-5f, 100, -128, 127));
  expect(scaled_outcome(1.7e20f, 20, -128, 127));
  expect(scaled_outcome(0.0f, 20, -128, 127));
  expect(scaled_outcome(1.0f, 5000, 100, 127));  // sums beyond 2^24, where a float has gaps
  expect(scaled_outcome(0.01f, 5000, -128, -100));
  expect(scaled_outcome(1.0f, 20, -128, -128));
}

TEST_CASE("matmul_int8 of as many rows, columns and elements as there may be") {
  if (is_skipped()) return;
  expect(ch09::tensor_reach_outcome<Int8, float>(
      [](cudaStream_t stream, int m, int n, const Int8* a, const Int8* b, float* c) {
        matmul_int8({a, m, 1, 1}, {b, n, 1, 1}, 1.0f, {c, m, n, n}, stream);
      },
      [](const MatmulShape& shape) { return dense_outcome(shape); }));
}

TEST_CASE("matmul_int8 refuses what does not fit") {
  expect(product_refusals_outcome<Int8, float>(
      [](auto a, auto b, auto c) { matmul_int8(a, b, 1.0f, c); }, true));
  constexpr int K = MOST_INT8_PRODUCTS + 1;
  const DeviceBuffer<Int8> factor(static_cast<std::size_t>(K));
  const DeviceBuffer<float> sum(1);
  expect(refusal_outcome("K = " + std::to_string(K), [&] {
    const Int8* data = factor.data();
    matmul_int8({data, 1, K, K}, {data, 1, K, K}, 1.0f, {sum.data(), 1, 1, 1});
  }));
}

TEST_CASE("budget") {
  constexpr int M = 128, N = 256, K = 128;  // which tiles of 128 divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 32.0 + 4.0); };
  expect_budget("matmul_int8", cost({M, N, K}), [] { return dense_outcome({M, N, K}); });
  for (const MatmulShape& s : shapes_of_one_tile({M, N, K}, 64)) {
    expect_cost(cost(s), [=] { return dense_outcome(s); });
  }
  for (const MatmulShape& shape : ragged_shapes()) {
    expect_tensor_products(fragment_products(shape.m, shape.n, shape.k),
                           [&] { return dense_outcome(shape); });
  }
}

}  // namespace tut::ch12
