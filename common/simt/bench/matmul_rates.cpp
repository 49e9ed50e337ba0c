// GFLOP/s of three matrix products at 512.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "matmul.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/random.hpp"

namespace {

using simt_bench::Matmul;
using simt_bench::Products;

constexpr int kSize = 512;

/// C of the product in double, at a few elements, against what the kernel wrote.
bool is_right(const std::vector<float>& a, const std::vector<float>& b,
              const std::vector<float>& c) {
  for (int sample = 0; sample < kSize; ++sample) {
    const int row = (sample * 37) % kSize;
    const int col = (sample * 101 + 5) % kSize;
    double sum = 0;
    for (int k = 0; k < kSize; ++k) sum += double{a[row * kSize + k]} * b[k * kSize + col];
    if (!(std::abs(c[row * kSize + col] - sum) <= 1e-4)) return false;
  }
  return true;
}

void run(benchmark::State& state, Matmul matmul) {
  constexpr std::size_t kCount = std::size_t{kSize} * kSize;
  std::vector<float> a(kCount), b(kCount);
  tut::fill_uniform(a, 1);
  tut::fill_uniform(b, 2);
  const tut::DeviceBuffer<float> device_a(a), device_b(b);
  tut::DeviceBuffer<float> device_c(std::vector<float>(kCount, NAN));
  for (auto _ : state) {
    matmul(device_a.data(), device_b.data(), device_c.data(), kSize);
    tut::check(cudaDeviceSynchronize());
  }
  if (!is_right(a, b, device_c.to_host())) return state.SkipWithError("wrong product");
  const double flops = 2.0 * kSize * kSize * kSize * static_cast<double>(state.iterations());
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
}

void add(const char* name, Matmul matmul) {
  benchmark::RegisterBenchmark(name, run, matmul)->UseRealTime()->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool added = [] {
  add("matmul_naive/512", simt_bench::split_products.naive);
  add("matmul_tiled_16/512", simt_bench::split_products.tiled_16);
  add("matmul_tiled_32/512", simt_bench::split_products.tiled_32);
  add("matmul_naive_unsplit/512", simt_bench::fiber_products.naive);
  add("matmul_tiled_16_fibers/512", simt_bench::fiber_products.tiled_16);
  add("matmul_tiled_32_fibers/512", simt_bench::fiber_products.tiled_32);
  return true;
}();

}  // namespace
