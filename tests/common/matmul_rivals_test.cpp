#include "tut/bench/matmul_rivals.hpp"

#include <doctest/doctest.h>

#include <string>

namespace tut {
namespace {

constexpr MatmulShape shape{5, 70, 9};

// Computes on the host, so that no kernel is needed; adds `error` to the last row.
MatmulRival<float, float> rival_with(float error, bool writes = true) {
  return {"rival", [=](auto a, auto b, auto c, cudaStream_t) {
            HostMatrix<float> host_a(a.rows, a.cols), host_b(b.rows, b.cols);
            const auto fetch = [](HostMatrix<float>& host, const float* data) {
              check(cudaMemcpy(host.data(), data, host.span().size_bytes(), cudaMemcpyDefault));
            };
            fetch(host_a, a.data);
            fetch(host_b, b.data);
            const auto product = make_matrix<float>(c.rows, c.cols, [&](int r, int col) {
              float sum = r == c.rows - 1 ? error : 0;
              for (int k = 0; k < a.cols; ++k) sum += host_a(r, k) * host_b(k, col);
              return sum;
            });
            if (!writes) return;
            check(cudaMemcpy(c.data, product.data(), product.span().size_bytes(),
                             cudaMemcpyHostToDevice));
          }};
}

TEST_CASE("a rival's product is checked before it is timed") {
  MatmulRotation<float, float> inputs(shape);
  CHECK(sample_error(rival_with(0), shape, inputs) == "");
  CHECK(sample_error(rival_with(0.01f), shape, inputs)
            .starts_with("wrong result at row 4, column 0"));
  // C still held the right product of an earlier rival.
  CHECK(sample_error(rival_with(0), shape, inputs) == "");
  CHECK(sample_error(rival_with(0, false), shape, inputs).starts_with("wrong result at row 0"));
}

TEST_CASE("the inputs that are used in turn hold more than twice the L2 cache") {
  int cache = 0;
  check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0));
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 20, std::size_t{1} << 40}) {
    const auto total = static_cast<double>(rotation_count(bytes)) * static_cast<double>(bytes);
    CHECK((total > 2.0 * cache || rotation_count(bytes) == 1024));
  }
  CHECK(rotation_count(std::size_t{1} << 40) == 1);
}

TEST_CASE("matmul_cost: FLOPs and least bytes of a product") {
  const BenchCost cost = matmul_cost<float, float>(shape);
  CHECK(cost.flops == 2.0 * 5 * 70 * 9);
  CHECK(cost.bytes == 4.0 * (5 * 9 + 9 * 70 + 5 * 70));
}

}  // namespace
}  // namespace tut
