#include "07_register_tiling/matmul_split_k.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"
#include "tut/random.hpp"

namespace tut::ch07 {

namespace {

void matmul_split_k_on(cudaStream_t stream, MatrixView<const float> a, MatrixView<const float> b,
                       MatrixView<float> c, MatrixView<float> parts) {
  matmul_split_k(a, b, c, parts, stream);
}

}  // namespace

TEST_CASE("matmul_split_k computes C = AB") {
  for (const int multiple : {1, 4}) {
    MatmulTestOptions options{.shapes = matmul_shapes(64, 64, 16), .stride_multiple = multiple};
    // Full slices, a short one, empty ones; lengths that 8 does not divide.
    for (const int k : {1024, 500, 272, 129, 128}) options.shapes.push_back({64, 64, k});
    options.shapes.push_back({3, 67, 401});
    expect(run_matmul_battery<float, float>(
        [&](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
          const std::size_t guard = c.stride() == c.cols() ? 0 : 4096;
          Guarded<float> parts(split_k_slices * c.rows(), c.cols(), c.stride() + multiple, guard);
          const Guarded<float> before = parts;
          run_matmul({.same_bits = true, .most_launches = 2}, matmul_split_k_on, a, b, c, parts);
          const std::string change = parts.change_outside(before, "parts", false);
          if (!change.empty()) throw std::runtime_error(change);
        },
        options));
  }
}

TEST_CASE("matmul_split_k gives the same bits twice") {
  constexpr int M = 70, N = 65, K = 1000;
  HostMatrix<float> host_a(M, K), host_b(K, N);
  fill_uniform(host_a, 41);
  fill_uniform(host_b, 42);
  const DeviceMatrix<float> a(host_a), b(host_b);
  DeviceMatrix<float> parts(split_k_slices * M, N), first(M, N), second(M, N);
  matmul_split_k(a.cview(), b.cview(), first.view(), parts.view());
  matmul_split_k(a.cview(), b.cview(), second.view(), parts.view());
  const HostMatrix<float> x = first.download(), y = second.download();
  int different = 0;
  for (int r = 0; r < M; ++r) {
    for (int c = 0; c < N; ++c) different += bits_of(x(r, c)) != bits_of(y(r, c));
  }
  expect(different == 0 ? Outcome{}
                        : failure("values", std::to_string(different) +
                                                " elements of C differ between two equal calls"));
}

TEST_CASE("matmul_split_k refuses parts of another shape") {
  const DeviceBuffer<float> memory(64);
  float* data = memory.data();
  CHECK_THROWS_AS(
      matmul_split_k({data, 2, 2, 2}, {data, 2, 2, 2}, {data, 2, 2, 2}, {data, 15, 2, 2}, nullptr),
      std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 512;
  const DeviceMatrix<float> a(M, K), b(K, N);
  DeviceMatrix<float> c(M, N), parts(split_k_slices * M, N);
  expect_budget("matmul_split_k", M * N * (K / 8.0 + 32 + 32 + 4),
                [&] { matmul_split_k(a.view(), b.view(), c.view(), parts.view()); });
}

}  // namespace tut::ch07
