#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "transposed_image.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"

namespace tut::ch04 {
namespace {

void run_transposed_a(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  Guarded<float> at = transposed_image(a);
  const Guarded<float> at_before = at;
  run_matmul(
      {},
      [](cudaStream_t stream, MatrixView<const float> view_at, MatrixView<const float> view_b,
         MatrixView<float> view_c) { matmul_transposed_a(view_at, view_b, view_c, stream); },
      at, b, c);
  if (const std::string change = at.change(at_before, "A", false); !change.empty()) {
    throw std::runtime_error(change);
  }
}

}  // namespace

TEST_CASE("matmul_transposed_a computes the product of A transposed and B") {
  MatmulTestOptions options;
  options.shapes = matmul_shapes(32);
  expect(run_matmul_battery<float, float>(run_transposed_a, options));
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 96, K = 128;
  const DeviceMatrix<float> a(K, M), b(K, N);
  DeviceMatrix<float> c(M, N);
  expect_budget("matmul_transposed_a", 5.0 * M * N * K + 4.0 * M * N,
                [&] { matmul_transposed_a(a.view(), b.view(), c.view()); });
}

}  // namespace tut::ch04
