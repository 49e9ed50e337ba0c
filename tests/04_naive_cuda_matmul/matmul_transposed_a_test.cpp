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
  const GuardedBuffer<float> device_at(at), device_b(b), device_c(c);
  run_to_end([&](cudaStream_t stream) {
    matmul_transposed_a(device_at.cview(), device_b.cview(), device_c.view(), stream);
  });
  device_at.download(at);
  device_b.download(b);
  device_c.download(c);
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
