#include "09_wmma/matmul_wmma_transposed_b.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "tensor_core_case.hpp"
#include "tut/budget/budget.hpp"

namespace tut::ch09 {
namespace {

// The stride of B's transpose: a multiple of `multiple` elements, more than that of A.
std::int64_t turned_stride(const Guarded<__half>& b, int multiple) {
  const bool dense = b.stride() == b.cols();
  return dense ? b.rows() : round_up(b.rows() + 1, multiple) + multiple;
}

// The battery's B is (K, N): the function under test gets the same values as an (N, K) matrix,
// whose rows lie a multiple of `multiple` elements apart, further than those of A, behind as many
// elements.
void run_transposed(Guarded<__half>& a, Guarded<__half>& b, Guarded<float>& c, int multiple) {
  const auto view = b.cview();
  const auto guard = static_cast<std::size_t>(view.data - b.memory().data());
  Guarded<__half> turned(b.cols(), b.rows(), turned_stride(b, multiple), guard);
  turned.set(make_matrix<__half>(b.cols(), b.rows(), [&](int n, int k) { return view(k, n); }));
  const Guarded<__half> before = turned;
  run_on_images(
      {.most_launches = 1},
      [](cudaStream_t stream, MatrixView<const __half> view_a, MatrixView<const __half> view_b,
         MatrixView<float> view_c) { matmul_wmma_transposed_b(view_a, view_b, view_c, stream); },
      a, turned, c);
  const std::string change = turned.change(before, "B", false);
  if (!change.empty()) throw std::logic_error(change);
}

MatmulRun<__half, float> run_with(int multiple) {
  MatmulRun<__half, float> run = [multiple](Guarded<__half>& a, Guarded<__half>& b,
                                            Guarded<float>& c) {
    run_transposed(a, b, c, multiple);
  };
  run.transposed = 'B';
  run.transposed_stride = [multiple](const Guarded<__half>& b) {
    return turned_stride(b, multiple);
  };
  return run;
}

const auto multiply = [](cudaStream_t stream, MatrixView<const __half> a,
                         MatrixView<const __half> b,
                         MatrixView<float> c) { matmul_wmma_transposed_b(a, b, c, stream); };

Outcome far_outcome() {
  HostMatrix<__half> a(3, 13), b(6, 13);  // the last rows of B begin behind 2^32 elements
  fill_small_integers(a, 61, 4);
  fill_small_integers(b, 62, 4);
  const auto turned = make_matrix<double>(13, 6, [&](int k, int n) { return to_double(b(n, k)); });
  const HostMatrix<double> product = matmul_reference(to_double_matrix(a.cview()), turned).product;
  Outcome outcome = far_rows_of<float>(a, b, product, multiply);
  if (!outcome.ok) return outcome;
  return far_tiles_of<float, __half>(
      SecondFactor::transposed, [](double element) { return element; }, multiply);
}

}  // namespace

TEST_CASE("matmul_wmma_transposed_b computes C = AB^T") {
  const auto check = [](int multiple, const std::vector<MatmulShape>& shapes) {
    expect(run_matmul_battery<__half, float>(
        run_with(multiple),
        {.shapes = shapes, .tolerance = tensor_core_tolerance, .stride_multiple = multiple}));
  };
  check(1, matmul_shapes(64, 64, 32));
  check(8, {{65, 67, 41}});
  expect(long_shapes_outcome(run_with(1)));
  expect(shifted_outcome(run_with(1)));
  expect(far_outcome());
}

TEST_CASE("matmul_wmma_transposed_b passes infinities and NaN on") {
  expect(special_values_outcome(run_with(1)));
}

TEST_CASE("matmul_wmma_transposed_b of as many rows, columns and elements as there may be") {
  expect(tensor_reach_outcome<__half, float>(
      [](cudaStream_t stream, int m, int n, const __half* a, const __half* b, float* c) {
        matmul_wmma_transposed_b({a, m, 1, 1}, {b, n, 1, 1}, {c, m, n, n}, stream);
      },
      [](const MatmulShape& shape) { return dense_outcome(run_with(1), shape); }));
}

TEST_CASE("matmul_wmma_transposed_b refuses shapes that do not fit") {
  expect(product_refusals_outcome<__half, float>(
      [](auto a, auto b, auto c) { matmul_wmma_transposed_b(a, b, c); }, true));
}

TEST_CASE("budget") {
  constexpr int M = 128, N = 256, K = 128;  // which tiles of 128 divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 16.0 + 4.0); };
  expect_budget("matmul_wmma_transposed_b", cost({M, N, K}), [] {
    return dense_outcome(run_with(1), {M, N, K});
  });
  for (const MatmulShape& s : shapes_of_one_tile({M, N, K}, 64)) {
    expect_cost(cost(s), [=] { return dense_outcome(run_with(1), s); });
  }
  for (const MatmulShape& shape : ragged_shapes()) {
    expect_tensor_products(fragment_products(shape.m, shape.n, shape.k),
                           [&] { return dense_outcome(run_with(1), shape); });
  }
}

}  // namespace tut::ch09
