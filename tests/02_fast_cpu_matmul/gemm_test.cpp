#include "02_fast_cpu_matmul/gemm.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "tut/testing/host_matmul_test.hpp"

namespace tut::ch02 {
namespace {

// Every instruction set that this processor has, blocks so small that small shapes take many.
void check_all(const Blocking& blocking, int threads) {
  for (const Simd simd : {Simd::baseline, Simd::avx2, Simd::avx512}) {
    if (!is_supported(simd)) continue;
    const Gemm& gemm = *find_gemm(simd);
    const HostMatmul<float, float> product = [&](auto a, auto b, auto c) {
      run_gemm(simd, blocking, threads, a, b, c);
    };
    INFO(gemm.name);
    MatmulTestOptions options{.shapes = matmul_shapes(gemm.tile_rows, gemm.tile_cols, 16)};
    options.shapes.push_back({2 * gemm.tile_rows + 1, 3 * gemm.tile_cols + 1, 37});
    expect(matmul_outcome<float, float>(product, options));
  }
}

}  // namespace

TEST_CASE("every instruction set multiplies right, in one block and in many") {
  check_all({.rows = 192, .cols = 4096, .depth = 512}, 1);
  check_all({.rows = 12, .cols = 64, .depth = 8}, 1);
  check_all({.rows = 1, .cols = 1, .depth = 1}, 1);
}

TEST_CASE("a team multiplies right, also one larger than the work") {
  for (const int threads : {2, 3, 8}) check_all({.rows = 12, .cols = 64, .depth = 8}, threads);
}

TEST_CASE("several threads may multiply at once") {
  std::jthread other([] { check_all({.rows = 12, .cols = 64, .depth = 8}, 1); });
  check_all({.rows = 24, .cols = 32, .depth = 5}, 2);
}

TEST_CASE("the best instruction set is supported, and the baseline always is") {
  CHECK(is_supported(best_simd()));
  CHECK(is_supported(Simd::baseline));
  CHECK(find_gemm(Simd::baseline) != nullptr);
}

TEST_CASE("run_gemm refuses what it cannot do") {
  HostMatrix<float> a(2, 3), b(3, 4), c(2, 4), wrong(3, 4);
  const Blocking blocking = find_gemm(Simd::baseline)->blocking;
  const auto run = [&](const Blocking& blocks, int threads, HostMatrix<float>& product) {
    run_gemm(Simd::baseline, blocks, threads, a.cview(), b.cview(), product.view());
  };
  CHECK_THROWS_AS(run(blocking, 0, c), std::invalid_argument);
  CHECK_THROWS_AS(run({.rows = 8, .cols = 8, .depth = 0}, 1, c), std::invalid_argument);
  CHECK_THROWS_AS(run(blocking, 1, wrong), std::invalid_argument);
}

}  // namespace tut::ch02
