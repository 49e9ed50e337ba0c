#include "07_register_tiling/matmul_tile_transposed_a.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"

namespace tut::ch07 {
namespace {

/// The image of A transposed. `multiple`: of its stride.
Guarded<float> transposed_image(const Guarded<float>& matrix, int multiple) {
  const bool dense = matrix.stride() == matrix.cols();
  const int stride = dense ? matrix.rows() : round_up(matrix.rows() + 1, multiple);
  Guarded<float> result(matrix.cols(), matrix.rows(), stride, dense ? 0 : 4096);
  for (int r = 0; r < matrix.rows(); ++r) {
    for (int c = 0; c < matrix.cols(); ++c) result.view()(c, r) = matrix.cview()(r, c);
  }
  return result;
}

void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c, int multiple) {
  Guarded<float> at = transposed_image(a, multiple);
  const Guarded<float> at_before = at;
  run_matmul(
      {},
      [](cudaStream_t stream, MatrixView<const float> view_at, MatrixView<const float> view_b,
         MatrixView<float> view_c) { matmul_tile_transposed_a(view_at, view_b, view_c, stream); },
      at, b, c);
  if (const std::string change = at.change(at_before, "A", false); !change.empty()) {
    throw std::runtime_error(change);
  }
}

}  // namespace

TEST_CASE("matmul_tile_transposed_a computes the product of A transposed and B") {
  for (const int multiple : {1, 4}) {
    MatmulTestOptions options{.shapes = matmul_shapes(64, 64, 16), .stride_multiple = multiple};
    expect(run_matmul_battery<float, float>(
        [&](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) { run(a, b, c, multiple); },
        options));
  }
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 96;
  const DeviceMatrix<float> a(K, M), b(K, N);
  DeviceMatrix<float> c(M, N);
  expect_budget("matmul_tile_transposed_a", M * N * K / 8.0 + 4.0 * M * N,
                [&] { matmul_tile_transposed_a(a.view(), b.view(), c.view()); });
}

}  // namespace tut::ch07
