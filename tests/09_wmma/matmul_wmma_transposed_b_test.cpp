#include "09_wmma/matmul_wmma_transposed_b.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tensor_core_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"

namespace tut::ch09 {
namespace {

// The battery's B is (K, N): the function under test gets the same values as an (N, K) matrix,
// whose rows lie `multiple` elements apart, or a multiple of it.
void run_transposed(Guarded<__half>& a, Guarded<__half>& b, Guarded<float>& c, int multiple) {
  const bool dense = b.stride() == b.cols();
  const std::int64_t stride = dense ? b.rows() : round_up(b.rows() + 1, multiple);
  Guarded<__half> turned(b.cols(), b.rows(), stride, dense ? 0 : 4096);
  const auto view = b.cview();
  turned.set(make_matrix<__half>(b.cols(), b.rows(), [&](int n, int k) { return view(k, n); }));
  const Guarded<__half> before = turned;
  run_matmul(
      {},
      [](cudaStream_t stream, MatrixView<const __half> view_a, MatrixView<const __half> view_b,
         MatrixView<float> view_c) { matmul_wmma_transposed_b(view_a, view_b, view_c, stream); },
      a, turned, c);
  const std::string change = turned.change(before, "B", false);
  if (!change.empty()) throw std::logic_error(change);
}

}  // namespace

TEST_CASE("matmul_wmma_transposed_b computes C = AB^T") {
  const auto check = [](int multiple, const std::vector<MatmulShape>& shapes) {
    const MatmulRun<__half, float> run = [multiple](Guarded<__half>& a, Guarded<__half>& b,
                                                    Guarded<float>& c) {
      run_transposed(a, b, c, multiple);
    };
    expect(run_matmul_battery<__half, float>(
        run, {.shapes = shapes, .tolerance = tensor_core_tolerance, .stride_multiple = multiple}));
  };
  check(1, matmul_shapes(64, 64, 32));
  check(8, {{65, 67, 41}});
}

TEST_CASE("matmul_wmma_transposed_b refuses rows of B that overlap") {
  const DeviceBuffer<__half> factors(64);
  const DeviceBuffer<float> sums(64);
  CHECK_THROWS_AS(matmul_wmma_transposed_b({factors.data(), 4, 5, 5}, {factors.data(), 7, 5, 3},
                                           {sums.data(), 4, 7, 7}),
                  std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int M = 128, N = 192, K = 96;
  const DeviceMatrix<__half> a(M, K), b(N, K);
  DeviceMatrix<float> c(M, N);
  expect_budget("matmul_wmma_transposed_b", M * N * K / 16.0 + 4.0 * M * N,
                [&] { matmul_wmma_transposed_b(a.view(), b.view(), c.view()); });
}

}  // namespace tut::ch09
